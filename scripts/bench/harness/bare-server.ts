import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import Database from 'better-sqlite3';
import express from 'express';

/**
 * The baseline: plain express and better-sqlite3, as durable as the daemon (WAL, synchronous FULL).
 * POST /insert writes one row of the size in the environment and responds with the given number of bytes;
 * GET /row reads one by its key.
 */
const sqlite = new Database(process.env['BARE_DATABASE'] ?? '');
sqlite.pragma('journal_mode = WAL');
sqlite.pragma('synchronous = FULL');
sqlite.exec(
  'CREATE TABLE IF NOT EXISTS rows (id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID',
);
const stored = readFileSync(process.env['BARE_STORED_TEXT'] ?? '', 'utf8');
const answered = JSON.parse(readFileSync(process.env['BARE_ANSWER_JSON'] ?? '', 'utf8')) as object;
const insert = sqlite.prepare('INSERT INTO rows (id, body) VALUES (?, ?)');
const select = sqlite.prepare('SELECT id, body FROM rows WHERE id = ?');
insert.run('known', JSON.stringify(answered));

const app = express();
app.post('/insert', express.json(), (req, res) => {
  const { orderId } = req.body as { orderId: string };
  insert.run(orderId, stored);
  res.status(201).json(answered);
});
app.get('/row', (req, res) => {
  const row = select.get(req.query['id']) as { id: string; body: string };
  res.json(JSON.parse(row.body));
});
const server = app.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});
process.once('SIGTERM', () => {
  server.closeAllConnections();
  server.close();
  process.disconnect();
  sqlite.close();
});
