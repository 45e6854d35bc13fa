-- Jobs that wait or run, and what became of them. A job's id is the id of its run, so a job done twice is one run.
-- `attempt` tells who may still speak for a job; `beat` grows while somebody works on it.
CREATE TABLE jobs (
    job TEXT NOT NULL PRIMARY KEY,
    once TEXT UNIQUE,
    state TEXT NOT NULL,
    priority BIGINT NOT NULL,
    submitter TEXT NOT NULL,
    submitted_at TEXT NOT NULL,
    wanted TEXT NOT NULL,
    attempt BIGINT NOT NULL,
    failures BIGINT NOT NULL,
    worker TEXT,
    beat BIGINT NOT NULL,
    cancel_asked BIGINT NOT NULL,
    cost_micros BIGINT NOT NULL,
    reason TEXT,
    ended_at TEXT
);
CREATE INDEX jobs_in_turn ON jobs (state, priority, submitted_at, job);
CREATE INDEX jobs_by_submitter ON jobs (submitter, submitted_at);
CREATE INDEX jobs_by_time ON jobs (submitted_at, job);

-- What happened to a job, for whoever watches it.
CREATE TABLE job_events (
    job TEXT NOT NULL,
    sequence BIGINT NOT NULL,
    at TEXT NOT NULL,
    lane TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (job, sequence)
);

CREATE TABLE workers (
    worker TEXT NOT NULL PRIMARY KEY,
    beat BIGINT NOT NULL,
    version TEXT NOT NULL,
    parallel BIGINT NOT NULL,
    started_at TEXT NOT NULL,
    seen_at TEXT NOT NULL
);

ALTER TABLE tokens ADD COLUMN expires_at TEXT;
ALTER TABLE tokens ADD COLUMN jobs_per_hour BIGINT;
