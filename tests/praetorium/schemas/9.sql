-- A praetorium of schema 9, as a Legio of that time left it when it was killed in the middle of things.
BEGIN TRANSACTION;
CREATE TABLE attachments (
            seq INTEGER NOT NULL REFERENCES nuntii (seq),
            position INTEGER NOT NULL,
            path TEXT NOT NULL,
            name TEXT NOT NULL,
            media_type TEXT NOT NULL,
            size INTEGER NOT NULL,
            kind TEXT NOT NULL,
            note TEXT NOT NULL,
            PRIMARY KEY (seq, position)
        ) WITHOUT ROWID
        ;
INSERT INTO "attachments" VALUES(1,0,'attachments/a.txt','a.txt','text/plain',3,'document','');
CREATE TABLE inbox (
                update_id INTEGER PRIMARY KEY,
                payload TEXT NOT NULL,
                received TEXT NOT NULL,
                ended TEXT
            , nuntius INTEGER REFERENCES nuntii (seq)
                CHECK (nuntius IS NULL OR ended IS NOT NULL));
INSERT INTO "inbox" VALUES(501,'','2026-11-21T03:04:05.123456+00:00','2026-11-21T03:04:05.123456+00:00',1);
INSERT INTO "inbox" VALUES(502,'','2026-11-21T03:04:05.123456+00:00','2026-11-21T03:04:05.123456+00:00',NULL);
INSERT INTO "inbox" VALUES(503,'','2026-11-21T03:04:05.123456+00:00','2026-11-21T03:04:05.123456+00:00',4);
INSERT INTO "inbox" VALUES(504,'{"update_id":504}','2026-11-21T03:04:05.123456+00:00',NULL,NULL);
CREATE TABLE messages (
                message INTEGER PRIMARY KEY,
                seq INTEGER NOT NULL REFERENCES nuntii (seq)
            , text TEXT);
INSERT INTO "messages" VALUES(41,1,NULL);
INSERT INTO "messages" VALUES(42,2,NULL);
INSERT INTO "messages" VALUES(43,4,NULL);
CREATE TABLE nuntii (
                seq INTEGER PRIMARY KEY AUTOINCREMENT,
                id TEXT NOT NULL UNIQUE,
                sender TEXT NOT NULL,
                text TEXT NOT NULL,
                audience TEXT NOT NULL CHECK (json_type(audience) = 'array'),
                timestamp TEXT NOT NULL,
                reply_to TEXT REFERENCES nuntii (id)
            , attached INTEGER NOT NULL DEFAULT 0, quoted TEXT, quote TEXT CHECK ((quote IS NULL) = (quoted IS NULL)), origin TEXT NOT NULL DEFAULT '');
INSERT INTO "nuntii" VALUES(1,'844ce6d0-fbad-5ce2-80f8-0d1c5b98d120','caesar','compare the ford — and the bridge','["vorenus","pullo"]','2026-11-21T03:04:05.123456+00:00',NULL,1,NULL,NULL,'');
INSERT INTO "nuntii" VALUES(2,'1a70229c-01ec-53b1-a7f8-cce3f63aee7d','vorenus','the ford is **deep**','["caesar"]','2026-11-21T03:04:05.123456+00:00','844ce6d0-fbad-5ce2-80f8-0d1c5b98d120',0,NULL,NULL,'');
INSERT INTO "nuntii" VALUES(3,'1f761c93-7046-5958-853b-d84fc25c3c91','legatus','to everyone: it''s raining','["all"]','2026-11-21T03:04:05.123456+00:00',NULL,0,NULL,NULL,'');
INSERT INTO "nuntii" VALUES(4,'c4626b9a-e73c-5c06-8320-3360e4764bae','caesar','go on','["legatus"]','2026-11-21T03:04:05.123456+00:00',NULL,0,NULL,NULL,'');
INSERT INTO "nuntii" VALUES(5,'252a8147-b94f-5841-bb65-47e2b9521587','legatus','the ford again?','["vorenus"]','2026-11-21T03:04:05.123456+00:00','c4626b9a-e73c-5c06-8320-3360e4764bae',0,NULL,NULL,'');
CREATE TABLE nuntius_audience (
                name TEXT NOT NULL,
                seq INTEGER NOT NULL REFERENCES nuntii (seq),
                PRIMARY KEY (name, seq)
            ) WITHOUT ROWID
            ;
INSERT INTO "nuntius_audience" VALUES('all',3);
INSERT INTO "nuntius_audience" VALUES('caesar',1);
INSERT INTO "nuntius_audience" VALUES('caesar',2);
INSERT INTO "nuntius_audience" VALUES('caesar',4);
INSERT INTO "nuntius_audience" VALUES('legatus',3);
INSERT INTO "nuntius_audience" VALUES('legatus',4);
INSERT INTO "nuntius_audience" VALUES('legatus',5);
INSERT INTO "nuntius_audience" VALUES('pullo',1);
INSERT INTO "nuntius_audience" VALUES('vorenus',1);
INSERT INTO "nuntius_audience" VALUES('vorenus',2);
INSERT INTO "nuntius_audience" VALUES('vorenus',5);
CREATE TABLE outbox (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                chat INTEGER NOT NULL,
                payload TEXT NOT NULL,
                seq INTEGER REFERENCES nuntii (seq),
                state TEXT NOT NULL DEFAULT 'pending'
                    CHECK (state IN ('pending', 'sending', 'sent', 'undeliverable')),
                tries INTEGER NOT NULL DEFAULT 0,
                created TEXT NOT NULL,
                message INTEGER,
                error TEXT NOT NULL DEFAULT '', doubtful INTEGER NOT NULL DEFAULT 0 CHECK (doubtful IN (0, 1)),
                CHECK ((message IS NOT NULL) = (state = 'sent'))
            );
INSERT INTO "outbox" VALUES(1,7,'{"kind":"text","text":"deep","entities":[],"reply_to":41,"buttons":[],"silent":false}',2,'sent',1,'2026-11-21T03:04:05.123456+00:00',42,'',0);
INSERT INTO "outbox" VALUES(2,7,'overloaded',NULL,'undeliverable',2,'2026-11-21T03:04:05.123456+00:00',NULL,'Forbidden: bot was blocked',1);
INSERT INTO "outbox" VALUES(3,7,'no command of that name',NULL,'sending',1,'2026-11-21T03:04:05.123456+00:00',NULL,'',0);
INSERT INTO "outbox" VALUES(4,7,'raining',3,'pending',0,'2026-11-21T03:04:05.123456+00:00',NULL,'',0);
CREATE TABLE raises (
            day TEXT NOT NULL,
            agent TEXT NOT NULL,
            usd REAL NOT NULL CHECK (usd > 0),
            PRIMARY KEY (day, agent)
        ) WITHOUT ROWID
        ;
INSERT INTO "raises" VALUES('2026-11-21','',2.5);
CREATE TABLE roll_calls (
            message INTEGER PRIMARY KEY,
            root INTEGER NOT NULL REFERENCES nuntii (seq)
        );
INSERT INTO "roll_calls" VALUES(44,4);
CREATE TABLE schedules (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            kind TEXT NOT NULL CHECK (kind IN ('reminder', 'task')),
            text TEXT NOT NULL,
            author TEXT NOT NULL,
            zone TEXT NOT NULL,
            first TEXT NOT NULL,
            rule TEXT,
            words TEXT CHECK ((words IS NULL) = (rule IS NULL)),
            due TEXT NOT NULL,
            fired TEXT,
            created TEXT NOT NULL,
            ended TEXT,
            update_id INTEGER UNIQUE,
            CHECK (ended IS NOT NULL OR fired IS NULL OR fired < due)
        );
INSERT INTO "schedules" VALUES(1,'reminder','tea','caesar','Europe/Zurich','2026-11-21T03:04:05.123456+00:00',NULL,NULL,'2026-11-21T03:04:05.123456+00:00',NULL,'2026-11-21T03:04:05.123456+00:00',NULL,NULL);
CREATE TABLE searches (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            words TEXT NOT NULL,
            last INTEGER NOT NULL
        );
INSERT INTO "searches" VALUES(1,'raining',3);
CREATE TABLE sessions (
                agent TEXT PRIMARY KEY,
                thread TEXT,
                cursor INTEGER NOT NULL,
                prompt_hash TEXT NOT NULL,
                context_tokens INTEGER NOT NULL,
                last_active TEXT,
                reason TEXT NOT NULL,
                cost_usd REAL NOT NULL
            , previous INTEGER NOT NULL DEFAULT 0, mark TEXT NOT NULL DEFAULT '', spoiled INTEGER NOT NULL DEFAULT 0 CHECK (spoiled IN (0, 1)), pid INTEGER, started REAL CHECK ((started IS NULL) = (pid IS NULL)), marked INTEGER NOT NULL DEFAULT 0, since INTEGER NOT NULL DEFAULT 0, asked TEXT NOT NULL DEFAULT '', begun TEXT, origin TEXT NOT NULL DEFAULT '', carried INTEGER NOT NULL DEFAULT 0, carried_from INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID
            ;
INSERT INTO "sessions" VALUES('legatus','22222222-2222-4222-8222-222222222222',4,'cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd',900,'2026-11-21T03:04:05.123456+00:00','Caesar reset it',0.5,3,'19e4b7ab-0748-4f43-ad23-98a361d27c63',1,4711,1795230245.25,3,0,'c4626b9a-e73c-5c06-8320-3360e4764bae',NULL,'',0,0);
INSERT INTO "sessions" VALUES('vorenus','11111111-1111-4111-8111-111111111111',1,'abababababababababababababababababababababababababababababababab',1200,'2026-11-21T03:04:05.123456+00:00','this is its first use',0.25,0,'e1bc29b5-bf53-40c3-82ba-d999f4d53e28',0,NULL,NULL,0,0,'',NULL,'',0,0);
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO "settings" VALUES('tuning','{"model":{"vorenus":"haiku"}}');
CREATE TABLE turns (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                nuntius INTEGER NOT NULL REFERENCES nuntii (seq),
                agent TEXT NOT NULL,
                root INTEGER NOT NULL REFERENCES nuntii (seq),
                message INTEGER,
                state TEXT NOT NULL DEFAULT 'pending'
                    CHECK (state IN ('pending', 'running', 'answered', 'failed', 'stopped', 'expired')),
                reply INTEGER UNIQUE REFERENCES nuntii (seq),
                began TEXT,
                ended TEXT,
                seconds REAL NOT NULL DEFAULT 0,
                detail TEXT NOT NULL DEFAULT '',
                input_tokens INTEGER NOT NULL DEFAULT 0,
                output_tokens INTEGER NOT NULL DEFAULT 0,
                cache_read_tokens INTEGER NOT NULL DEFAULT 0,
                cache_write_tokens INTEGER NOT NULL DEFAULT 0,
                context_tokens INTEGER NOT NULL DEFAULT 0,
                cost_usd REAL NOT NULL DEFAULT 0,
                model TEXT NOT NULL DEFAULT '',
                UNIQUE (nuntius, agent),
                CHECK ((ended IS NULL) = (state IN ('pending', 'running'))),
                CHECK ((reply IS NOT NULL) = (state = 'answered'))
            );
INSERT INTO "turns" VALUES(1,1,'vorenus',1,41,'answered',2,'2026-11-21T03:04:05.123456+00:00','2026-11-21T03:04:05.123456+00:00',1.5,'',10,20,30,40,1200,0.25,'claude-sonnet-4-5');
INSERT INTO "turns" VALUES(2,1,'pullo',1,41,'failed',NULL,NULL,'2026-11-21T03:04:05.123456+00:00',0.0,'529',0,0,0,0,0,0.0,'');
INSERT INTO "turns" VALUES(3,4,'legatus',4,43,'running',NULL,'2026-11-21T03:04:05.123456+00:00',NULL,0.0,'',0,0,0,0,0,0.0,'');
INSERT INTO "turns" VALUES(4,5,'vorenus',4,NULL,'pending',NULL,NULL,NULL,0.0,'',0,0,0,0,0,0.0,'');
CREATE INDEX nuntii_by_timestamp ON nuntii (timestamp);
CREATE INDEX nuntii_by_sender ON nuntii (sender);
CREATE INDEX inbox_unfinished ON inbox (update_id) WHERE ended IS NULL;
CREATE INDEX turns_open ON turns (id) WHERE ended IS NULL;
CREATE INDEX turns_by_state ON turns (state);
CREATE INDEX turns_by_root ON turns (root);
CREATE INDEX outbox_unsent ON outbox (id) WHERE state IN ('pending', 'sending');
CREATE INDEX inbox_by_nuntius ON inbox (nuntius) WHERE nuntius IS NOT NULL;
CREATE INDEX outbox_undeliverable ON outbox (id) WHERE state = 'undeliverable';
CREATE INDEX outbox_by_seq ON outbox (seq) WHERE seq IS NOT NULL;
CREATE INDEX turns_spent ON turns (
            agent, ended, cost_usd, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens
        ) WHERE ended IS NOT NULL
        ;
CREATE INDEX schedules_standing ON schedules (due) WHERE ended IS NULL;
CREATE INDEX messages_by_seq ON messages (seq);
CREATE VIRTUAL TABLE nuntii_search USING fts5 (
            text, content='nuntii', content_rowid='seq', tokenize='porter unicode61 remove_diacritics 2'
        );
INSERT INTO nuntii_search (nuntii_search) VALUES ('rebuild');
CREATE TRIGGER nuntii_search_insert AFTER INSERT ON nuntii BEGIN
            INSERT INTO nuntii_search (rowid, text) VALUES (new.seq, new.text);
        END;
CREATE TRIGGER nuntii_search_delete AFTER DELETE ON nuntii BEGIN
            INSERT INTO nuntii_search (nuntii_search, rowid, text) VALUES ('delete', old.seq, old.text);
        END;
CREATE TRIGGER nuntii_search_update AFTER UPDATE OF seq, text ON nuntii BEGIN
            INSERT INTO nuntii_search (nuntii_search, rowid, text) VALUES ('delete', old.seq, old.text);
            INSERT INTO nuntii_search (rowid, text) VALUES (new.seq, new.text);
        END;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('nuntii',5);
INSERT INTO "sqlite_sequence" VALUES('turns',4);
INSERT INTO "sqlite_sequence" VALUES('outbox',4);
INSERT INTO "sqlite_sequence" VALUES('schedules',1);
INSERT INTO "sqlite_sequence" VALUES('searches',1);
COMMIT;
PRAGMA application_id = 1279608649;
PRAGMA user_version = 9;
