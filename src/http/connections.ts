import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** The open connections of a server, so that closing need not wait for those that do nothing. */
export interface Connections {
  /** Ends every connection that has no request running, those that never sent one included. */
  endIdle(): void;
  endAll(): void;
}

/** Watches a server from its start. Node itself forgets connections that sent no request yet. */
export function trackConnections(server: Server, secure: boolean): Connections {
  const raw = new Set<Socket>();
  const ready = new Map<Socket, { running: number }>();
  server.on('connection', (socket: Socket) => {
    raw.add(socket);
    socket.once('close', () => raw.delete(socket));
  });
  server.on(secure ? 'secureConnection' : 'connection', (socket: Socket) => {
    ready.set(socket, { running: 0 });
    socket.once('close', () => ready.delete(socket));
  });
  server.on('request', ({ socket }, res) => {
    const requests = ready.get(socket);
    if (requests === undefined) return;
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
  };
}
