/** The thread of ReadThread: runs the selects that it receives, one after the other. */
import { parentPort, workerData } from 'node:worker_threads';
import { Connection } from './connection.ts';
import { openReadOnly } from './open-read-only.ts';
import type { ReadAnswer, ReadRequest } from './read-thread.ts';

const connection = new Connection(openReadOnly(String(workerData)));

function answer({ id, text, parameters }: ReadRequest): ReadAnswer {
  try {
    return { id, rows: connection.all(text, parameters) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.on('message', (request: ReadRequest) => parentPort?.postMessage(answer(request)));
