-- Shared runs of the quiz. Everything here is made from their documents and can be made again.
-- `verdict` is what the checks said on arrival; `standing` what that comes to among all other runs.
CREATE TABLE quiz_runs (
    run TEXT NOT NULL PRIMARY KEY,
    state TEXT NOT NULL,
    state_reason TEXT,
    day TEXT NOT NULL,
    standing TEXT NOT NULL,
    reasons TEXT NOT NULL,
    merged_into TEXT,
    verdict TEXT NOT NULL,
    verdict_reasons TEXT NOT NULL,
    outlier BIGINT NOT NULL,
    pool TEXT NOT NULL,
    selection TEXT NOT NULL,
    outputs TEXT NOT NULL,
    marks TEXT NOT NULL,
    extractor BIGINT NOT NULL,
    first_extractor BIGINT NOT NULL,
    first_correct BIGINT NOT NULL,
    first_strict BIGINT NOT NULL,
    engine TEXT NOT NULL,
    seconds DOUBLE PRECISION NOT NULL,
    speed TEXT
);
CREATE INDEX quiz_runs_by_day ON quiz_runs (state, day, run);
CREATE INDEX quiz_runs_by_pool ON quiz_runs (state, pool, day, run);
CREATE INDEX quiz_runs_by_standing ON quiz_runs (state, standing, day, run);
CREATE INDEX quiz_runs_counted ON quiz_runs (state, pool, standing, day, run);
CREATE INDEX quiz_runs_by_outputs ON quiz_runs (outputs);
CREATE INDEX quiz_runs_outliers ON quiz_runs (outlier, pool);
CREATE INDEX quiz_runs_by_extractor ON quiz_runs (extractor, run);

-- What boards read: one row for each model, quantisation, protocol and source. `share` sums the questions' shares, in billionths.
CREATE TABLE quiz_pools (
    pool TEXT NOT NULL PRIMARY KEY,
    definition TEXT NOT NULL,
    runs BIGINT NOT NULL,
    others BIGINT NOT NULL,
    days BIGINT NOT NULL,
    asked BIGINT NOT NULL,
    correct BIGINT NOT NULL,
    questions BIGINT NOT NULL,
    share BIGINT NOT NULL,
    strict_share BIGINT NOT NULL,
    tier_1 BIGINT NOT NULL,
    tier_2 BIGINT NOT NULL,
    tier_3 BIGINT NOT NULL,
    tier_4 BIGINT NOT NULL,
    tier_5 BIGINT NOT NULL,
    tier_1_correct BIGINT NOT NULL,
    tier_2_correct BIGINT NOT NULL,
    tier_3_correct BIGINT NOT NULL,
    tier_4_correct BIGINT NOT NULL,
    tier_5_correct BIGINT NOT NULL,
    chosen_a BIGINT NOT NULL,
    chosen_b BIGINT NOT NULL,
    chosen_c BIGINT NOT NULL,
    chosen_d BIGINT NOT NULL,
    chosen_none BIGINT NOT NULL,
    gold_a BIGINT NOT NULL,
    gold_b BIGINT NOT NULL,
    gold_c BIGINT NOT NULL,
    gold_d BIGINT NOT NULL
);

-- A question in a pool: the sum over days of the day's share, and what was chosen.
CREATE TABLE quiz_questions (
    pool TEXT NOT NULL,
    question TEXT NOT NULL,
    days BIGINT NOT NULL,
    share BIGINT NOT NULL,
    strict_share BIGINT NOT NULL,
    runs BIGINT NOT NULL,
    chosen_a BIGINT NOT NULL,
    chosen_b BIGINT NOT NULL,
    chosen_c BIGINT NOT NULL,
    chosen_d BIGINT NOT NULL,
    chosen_none BIGINT NOT NULL,
    PRIMARY KEY (pool, question)
);

CREATE TABLE quiz_question_days (
    pool TEXT NOT NULL,
    question TEXT NOT NULL,
    day TEXT NOT NULL,
    runs BIGINT NOT NULL,
    correct BIGINT NOT NULL,
    strict BIGINT NOT NULL,
    PRIMARY KEY (pool, question, day)
);

-- Days on which a pool was confirmed: by runs that count, and by repeats of them.
CREATE TABLE quiz_days (
    pool TEXT NOT NULL,
    day TEXT NOT NULL,
    runs BIGINT NOT NULL,
    PRIMARY KEY (pool, day)
);

-- What this site signs with. It cannot be made again; without it, tickets that are out are worth nothing, and no more is lost.
CREATE TABLE keys (
    name TEXT NOT NULL PRIMARY KEY,
    secret TEXT NOT NULL
);
