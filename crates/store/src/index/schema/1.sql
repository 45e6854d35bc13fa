-- Names are those of `RunRecord`. Text that is absent is NULL where that means something, and '' where it is part of a key.
CREATE TABLE classes (
    class TEXT NOT NULL PRIMARY KEY,
    definition TEXT NOT NULL
);

CREATE TABLE runs (
    run TEXT NOT NULL PRIMARY KEY,
    state TEXT NOT NULL,
    state_reason TEXT,
    started_at TEXT NOT NULL,
    tool TEXT NOT NULL,
    tool_version TEXT,
    run_index BIGINT,
    prompt TEXT NOT NULL,
    tier BIGINT,
    url TEXT NOT NULL,
    title TEXT,
    headline TEXT NOT NULL,
    composite DOUBLE PRECISION,
    functional DOUBLE PRECISION,
    code_quality DOUBLE PRECISION,
    visual DOUBLE PRECISION,
    security DOUBLE PRECISION,
    scores TEXT NOT NULL,
    rankable BIGINT NOT NULL,
    not_rankable_because TEXT NOT NULL,
    class TEXT NOT NULL,
    coverage DOUBLE PRECISION NOT NULL,
    seconds DOUBLE PRECISION NOT NULL,
    benchwright TEXT NOT NULL,
    cost TEXT,
    verified BIGINT NOT NULL,
    report TEXT,
    thumbnail TEXT,
    ranked BIGINT NOT NULL
);

-- Newest first, of everything and of what a list may be narrowed to. Each ends in the key, so that a page begins where the last one ended.
CREATE INDEX runs_by_time ON runs (state, started_at, run);
CREATE INDEX runs_by_standing ON runs (state, prompt, tool, started_at, run);
CREATE INDEX runs_by_tool ON runs (state, tool, started_at, run);
CREATE INDEX runs_by_url ON runs (state, url, started_at, run);
CREATE INDEX runs_apart ON runs (state, ranked, started_at, run);
CREATE INDEX runs_newest_ranked ON runs (prompt, class, tool, ranked, started_at, run);

-- What boards read. One row per prompt, class and tool, kept in the transaction that changes a run; all sums are whole numbers.
CREATE TABLE standings (
    prompt TEXT NOT NULL,
    class TEXT NOT NULL,
    tool TEXT NOT NULL,
    newest TEXT,
    runs BIGINT NOT NULL,
    verified BIGINT NOT NULL,
    points BIGINT NOT NULL,
    squares BIGINT NOT NULL,
    functional BIGINT NOT NULL,
    functional_runs BIGINT NOT NULL,
    code_quality BIGINT NOT NULL,
    code_quality_runs BIGINT NOT NULL,
    visual BIGINT NOT NULL,
    visual_runs BIGINT NOT NULL,
    security BIGINT NOT NULL,
    security_runs BIGINT NOT NULL,
    usd BIGINT NOT NULL,
    usd_runs BIGINT NOT NULL,
    build BIGINT NOT NULL,
    build_runs BIGINT NOT NULL,
    PRIMARY KEY (prompt, class, tool)
);

-- How often a scorer gave which score: bucket 0 is [0, 0.05), bucket 20 is exactly 1.
CREATE TABLE distribution (
    scorer TEXT NOT NULL,
    version TEXT NOT NULL,
    bucket BIGINT NOT NULL,
    runs BIGINT NOT NULL,
    PRIMARY KEY (scorer, version, bucket)
);

-- How many runs are in which state; counting a million rows takes too long for a page.
CREATE TABLE totals (
    name TEXT NOT NULL PRIMARY KEY,
    runs BIGINT NOT NULL
);

CREATE TABLE moderation (
    run TEXT NOT NULL,
    sequence BIGINT NOT NULL,
    decision TEXT NOT NULL,
    reason TEXT NOT NULL,
    actor TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (run, sequence)
);
CREATE INDEX moderation_by_time ON moderation (at, run, sequence);

-- The one table that cannot be made again from the runs. A token itself is never kept.
CREATE TABLE tokens (
    token TEXT NOT NULL PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created_at TEXT NOT NULL,
    revoked_at TEXT
);
