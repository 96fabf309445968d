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
  const ready = new Set<Socket>();
  const busy = new Map<Socket, number>();
  server.on('connection', keepIn(raw));
  server.on(secure ? 'secureConnection' : 'connection', keepIn(ready));
  server.on('request', ({ socket }, res) => {
    busy.set(socket, (busy.get(socket) ?? 0) + 1);
    res.on('close', () => {
      const left = (busy.get(socket) ?? 1) - 1;
      if (left > 0) busy.set(socket, left);
      else busy.delete(socket);
    });
  });
  return {
    endIdle: () => {
      for (const socket of ready) if (!busy.has(socket)) socket.destroySoon();
    },
    endAll: () => {
      for (const socket of raw) socket.destroy();
    },
  };
}

function keepIn(sockets: Set<Socket>): (socket: Socket) => void {
  return (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
}
