import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hostResolver, type Resolve } from '../../../src/egress/resolve.ts';
import { DnsServer } from '../../_helpers/domains/dns-server.ts';

/** No server answers there: as if DNS did not have the name. */
const NO_DNS = ['127.0.0.1:9'];

it('hostResolver uses at most half of the thread pool for names that are not in DNS, however slow the lookup is', async () => {
  const asked: string[] = [];
  const answers = Promise.withResolvers<void>();
  const resolve = hostResolver(NO_DNS, async (hostname) => {
    asked.push(hostname);
    await answers.promise;
    return ['192.0.2.1'];
  });
  const given = new AbortController();
  const slow = Array.from({ length: 5 }, (_, at) => resolve(`slow-${at}.test`, new AbortController().signal));
  const left = resolve('given-up.test', given.signal);
  await expect.poll(() => asked.length).toBe(2);
  // Time for any other server that would be asked as well.
  for (let turns = 0; turns < 200; turns += 1) await new Promise((next) => void setImmediate(next));
  expect(asked).toHaveLength(2);
  given.abort();
  answers.resolve();
  expect(await Promise.all(slow)).toEqual(slow.map(() => ['192.0.2.1']));
  // A caller that gave up meanwhile needs no thread any more.
  await expect(left).rejects.toThrow();
  expect(asked).not.toContain('given-up.test');
});

const addresses = ['192.0.2.7', '192.0.2.8', '2001:db8::7'];
const patient = () => new AbortController().signal;
const inOrder = (found: readonly string[]) => found.toSorted();

describe('hostResolver with a name server', () => {
  let dns: DnsServer;
  let resolve: Resolve;
  beforeAll(async () => {
    dns = await DnsServer.start();
  });
  afterAll(async () => dns.close());
  beforeEach(() => {
    dns.clear();
    dns.set('A', 'shop.example', ['192.0.2.7', '192.0.2.8']);
    dns.set('AAAA', 'shop.example', ['2001:db8::7']);
    resolve = hostResolver([dns.address]);
  });

  it('queries A and AAAA records each time, whatever the number of concurrent lookups', async () => {
    for (let round = 0; round < 3; round += 1) {
      const all = await Promise.all(Array.from({ length: 20 }, () => resolve('shop.example', patient())));
      for (const found of all) expect(inOrder(found)).toEqual(addresses);
    }
    expect(dns.questions.filter((question) => question === 'A shop.example')).toHaveLength(60);
    expect(dns.questions.filter((question) => question === 'AAAA shop.example')).toHaveLength(60);
  });

  it('returns a changed address immediately', async () => {
    await resolve('shop.example', patient());
    dns.set('A', 'shop.example', ['192.0.2.9']);
    expect(inOrder(await resolve('shop.example', patient()))).toEqual(['192.0.2.9', '2001:db8::7']);
  });

  it('aborts one lookup without delaying the others', async () => {
    dns.set('A', 'silent.example', 'silent');
    dns.set('AAAA', 'silent.example', 'silent');
    const impatient = new AbortController();
    const inVain = resolve('silent.example', impatient.signal);
    const others = Array.from({ length: 5 }, () => resolve('shop.example', patient()));
    await expect.poll(() => dns.questions).toContain('A silent.example');
    impatient.abort(new Error('enough'));
    await expect(inVain).rejects.toThrow('enough');
    for (const found of await Promise.all(others)) expect(inOrder(found)).toEqual(addresses);
    expect(inOrder(await resolve('shop.example', patient()))).toEqual(addresses);
  });

  it('sends no query for a lookup that was aborted before', async () => {
    await expect(resolve('shop.example', AbortSignal.abort())).rejects.toThrow();
    expect(dns.questions).toEqual([]);
  });
});
