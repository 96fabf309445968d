import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { Till } from '../../_helpers/till.ts';

it('the daemon names the settings and the reason when its port is in use', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  await expect(Till.start({ TILLD_PORT: String(port) })).rejects.toThrow(
    `cannot listen on 127.0.0.1, port ${port} (TILLD_HOST, TILLD_PORT): another program listens there already`,
  );
  other.close();
});
