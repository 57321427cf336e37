-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The columns of `dtprof export --format=csv`, as a table for DuckDB and for ClickHouse.
--
--   dtprof export --format=csv -o profile.csv
--
--   duckdb profile.db
--   D .read export.sql
--   D COPY profile FROM 'profile.csv' (HEADER);
--   D SELECT type, field, sum(samples) FROM profile GROUP BY ALL ORDER BY 3 DESC LIMIT 20;
--
--   clickhouse local --path profile.ch --default_table_engine Memory --queries-file export.sql --query \
--     "INSERT INTO profile FROM INFILE 'profile.csv' FORMAT CSVWithNames;
--      SELECT type, field, sum(samples) FROM profile GROUP BY ALL ORDER BY 3 DESC LIMIT 20"
--
-- Columns that may be NULL are empty in the file: fields of types that are not known, places without source lines or symbols,
-- and stacks of recordings without call chains.
CREATE TABLE profile (
	"event" VARCHAR NOT NULL,
	"samples" BIGINT NOT NULL,
	"period" BIGINT NOT NULL,
	"latency" BIGINT NOT NULL,
	"loads" BIGINT NOT NULL,
	"stores" BIGINT NOT NULL,
	"type" VARCHAR NULL,
	"offset" BIGINT NULL,
	"field" VARCHAR NULL,
	"how" VARCHAR NULL,
	"blame" VARCHAR NULL,
	"function" VARCHAR NULL,
	"object" VARCHAR NULL,
	"file" VARCHAR NULL,
	"line" BIGINT NULL,
	"comm" VARCHAR NULL,
	"pid" INTEGER NOT NULL,
	"tid" INTEGER NOT NULL,
	"stack" VARCHAR NULL
);
