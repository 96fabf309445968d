import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/** The open connections of a server, so that closing need not wait for those that do nothing. */
export interface Connections {
  /** Ends every connection that has no request running, those that never sent one included. */
  endIdle(): void;
  endAll(): void;
  /** The newest request of a connection; null before its first, undefined where no HTTP is spoken (yet). */
  lastOn(socket: Socket): Exchange | null | undefined;
}

/** Watches a server from its start. Node itself forgets connections that sent no request yet. */
export function trackConnections(server: Server, secure: boolean): Connections {
  const raw = new Set<Socket>();
  const ready = new Map<Socket, { running: number; last: Exchange | null }>();
  server.on('connection', (socket: Socket) => {
    raw.add(socket);
    socket.once('close', () => raw.delete(socket));
  });
  server.on(secure ? 'secureConnection' : 'connection', (socket: Socket) => {
    ready.set(socket, { running: 0, last: null });
    socket.once('close', () => ready.delete(socket));
  });
  server.on('request', (req, res) => {
    const requests = ready.get(req.socket);
    if (requests === undefined) return;
    requests.last = { req, res };
    requests.running += 1;
    res.on('close', () => (requests.running -= 1));
  });
  return {
    endIdle: () => {
      for (const [socket, { running }] of ready) if (running === 0) socket.destroySoon();
    },
    endAll: () => {
      for (const socket of raw) socket.destroy();
    },
    lastOn: (socket) => {
      const requests = ready.get(socket);
      return requests === undefined ? undefined : requests.last;
    },
  };
}
