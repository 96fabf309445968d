import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type WebSocket from 'ws';
import { z } from 'zod';
import type { Commitment, Ledger, LedgerTransaction } from './ledger.ts';
import { addressAt, configAt, textAt } from './params.ts';
import { viewAccount } from './views.ts';

/** As CommonJS: the declarations of the library describe only that. */
const { Server: SocketServer } = createRequire(import.meta.url)('ws') as typeof WebSocket;

const request = z.object({
  id: z.union([z.string(), z.number()]),
  method: z.string(),
  params: z.array(z.unknown()).default([]),
});

const logsFilter = z.union([
  z.enum(['all', 'allWithVotes']),
  z.object({ mentions: z.tuple([z.string()]) }).transform(({ mentions: [address] }) => ({ address })),
]);

/** What a subscription says after a new block; it may end itself. */
type Look = (end: () => void) => readonly unknown[];

/** Balances are u64: exact numbers, whatever a double can hold. */
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };

function text(value: object): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'bigint' ? rawJSON(each.toString()) : each,
  );
}

/** The node's WebSocket side: account, logs, root, signature and slot subscriptions, as Agave words them. */
export class Subscriptions {
  readonly #ledger: Ledger;
  readonly #sockets = new SocketServer({ noServer: true });
  readonly #looks = new Map<number, { socket: WebSocket; method: string; look: Look }>();
  /** Methods asked over sockets so far. */
  readonly calls: string[] = [];
  #lastId = 0;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
    ledger.onBlock(() => this.#tell());
  }

  get connected(): number {
    return this.#sockets.clients.size;
  }

  upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    // HTTP servers give no other kind; the declarations of the library insist on it.
    this.#sockets.handleUpgrade(incoming, socket as Socket, head, (opened) => {
      opened.on('message', (data: Buffer) => this.#serve(opened, data.toString('utf8')));
      opened.on('close', () => this.#forget(opened));
    });
  }

  /** Cuts all connections. */
  cut(): void {
    for (const socket of this.#sockets.clients) socket.terminate();
  }

  /** Sends the same text to every subscriber, valid or not. */
  shout(message: string, times: number): void {
    for (const socket of this.#sockets.clients) {
      for (let sent = 0; sent < times; sent += 1) socket.send(message);
    }
  }

  #serve(socket: WebSocket, body: string): void {
    const parsed = request.safeParse(JSON.parse(body));
    // Clients keep the connection alive with notifications.
    if (!parsed.success) return;
    const { id, method, params } = parsed.data;
    this.calls.push(method);
    const answer = (rest: object): void => socket.send(text({ jsonrpc: '2.0', ...rest, id }));
    if (method.endsWith('Unsubscribe')) {
      answer({ result: this.#looks.delete(z.int().parse(params[0])) });
      return;
    }
    const look = this.#lookFor(method, params);
    if (look === null) {
      answer({ error: { code: -32601, message: 'Method not found' } });
      return;
    }
    this.#lastId += 1;
    this.#looks.set(this.#lastId, { socket, method: method.replace('Subscribe', 'Notification'), look });
    answer({ result: this.#lastId });
    // What is so already is told at once, after the answer.
    if (method === 'signatureSubscribe') this.#tell(this.#lastId);
  }

  #lookFor(method: string, params: readonly unknown[]): Look | null {
    switch (method) {
      case 'slotSubscribe':
        return () => {
          const { slot, parentSlot: parent } = this.#ledger.top;
          return [{ slot, parent, root: this.#ledger.tip('finalized').slot }];
        };
      case 'rootSubscribe':
        return () => [this.#ledger.tip('finalized').slot];
      case 'accountSubscribe':
        return this.#accountLook(params);
      case 'signatureSubscribe':
        return this.#signatureLook(params);
      case 'logsSubscribe':
        return this.#logsLook(params);
      default:
        return null;
    }
  }

  #accountLook(params: readonly unknown[]): Look {
    const address = addressAt(params, 0);
    const { commitment = 'finalized', encoding = 'base64' } = configAt(params, 1);
    const view = () =>
      viewAccount(this.#ledger.accountAt(address, commitment), { encoding, slice: undefined });
    let last = text({ view: view() });
    return () => {
      const value = view();
      const now = text({ view: value });
      if (now === last) return [];
      last = now;
      return [this.#inContext(commitment, value)];
    };
  }

  #signatureLook(params: readonly unknown[]): Look {
    const signature = textAt(params, 0);
    const { commitment = 'finalized' } = configAt(params, 1);
    return (end) => {
      const found = this.#ledger.transaction(signature);
      if (found === undefined || found.slot > this.#ledger.tip(commitment).slot) return [];
      end();
      return [this.#inContext(commitment, { err: found.err })];
    };
  }

  #logsLook(params: readonly unknown[]): Look {
    const filter = logsFilter.parse(params[0]);
    const { commitment = 'finalized' } = configAt(params, 1);
    const matches = ({ wire }: LedgerTransaction) =>
      typeof filter === 'string' || wire.keys.includes(filter.address);
    let seen = this.#ledger.tip(commitment).slot;
    return () => {
      const { slot } = this.#ledger.tip(commitment);
      const blocks = this.#ledger.blocksBetween(seen + 1, slot);
      seen = slot;
      return blocks
        .flatMap(({ transactions }) => transactions.filter(matches))
        .map(({ wire: { signature }, err, logs }) => this.#inContext(commitment, { signature, err, logs }));
    };
  }

  #inContext(commitment: Commitment, value: unknown): object {
    return { context: { slot: this.#ledger.tip(commitment).slot }, value };
  }

  #tell(only?: number): void {
    for (const [subscription, { socket, method, look }] of this.#looks) {
      if (only !== undefined && subscription !== only) continue;
      for (const result of look(() => void this.#looks.delete(subscription))) {
        socket.send(text({ jsonrpc: '2.0', method, params: { result, subscription } }));
      }
    }
  }

  #forget(socket: WebSocket): void {
    for (const [id, look] of this.#looks) if (look.socket === socket) this.#looks.delete(id);
  }
}
