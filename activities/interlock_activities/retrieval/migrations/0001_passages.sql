CREATE EXTENSION IF NOT EXISTS vector;

CREATE TABLE interlock_retrieval.collection (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    version integer NOT NULL,
    passages bigint NOT NULL DEFAULT 0,
    UNIQUE (name, version)
);

CREATE TABLE interlock_retrieval.document (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    collection integer NOT NULL REFERENCES interlock_retrieval.collection ON DELETE CASCADE,
    path text NOT NULL,
    digest text NOT NULL,
    made_by text NOT NULL,
    problem text NOT NULL,
    title text NOT NULL,
    UNIQUE (collection, path)
);

CREATE TABLE interlock_retrieval.passage (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    collection integer NOT NULL REFERENCES interlock_retrieval.collection ON DELETE CASCADE,
    document bigint NOT NULL REFERENCES interlock_retrieval.document ON DELETE CASCADE,
    locator text NOT NULL,
    text text NOT NULL,
    words tsvector NOT NULL,
    embedding vector
);

CREATE TABLE interlock_retrieval.term (
    collection integer NOT NULL REFERENCES interlock_retrieval.collection ON DELETE CASCADE,
    term text NOT NULL,
    passages integer NOT NULL,
    PRIMARY KEY (collection, term)
);

CREATE INDEX passage_words ON interlock_retrieval.passage USING gin (words);
CREATE INDEX passage_collection ON interlock_retrieval.passage (collection);
CREATE INDEX passage_document ON interlock_retrieval.passage (document);
