import { describe, expect, it } from 'vitest';
import { isPublicAddress } from '../../../src/egress/public-address.ts';
import { requirePublicTarget, requirePublicUrl } from '../../../src/egress/ssrf-guard.ts';

const { signal } = new AbortController();
const vet = (url: string, addresses: readonly string[] = ['93.184.215.14'], allowPrivate = false) =>
  requirePublicTarget({ allowPrivate, resolve: async () => addresses }, url, signal);
const failing = async () => Promise.reject(new Error('ESERVFAIL'));

describe('isPublicAddress', () => {
  it.each([
    '8.8.8.8',
    '93.184.215.14',
    '100.63.255.255',
    '100.128.0.1',
    '172.15.0.1',
    '172.32.0.1',
    '2606:4700:4700::1111',
    '2a00:1450:4001:80f::200e',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
  ])('is true for %s', (address) => expect(isPublicAddress(address)).toBe(true));

  it.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '100.100.100.200',
    '127.0.0.1',
    '127.255.255.254',
    '168.63.129.16',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::8.8.8.8',
    '::ffff:127.0.0.1',
    '::ffff:169.254.169.254',
    '::ffff:0:127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::a00:1',
    '64:ff9b:1::808:808',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    '2002:7f00:1::1',
    '2002:808:808::1',
    '3fff::1',
    '5f00::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    '2606:4700::1%eth0',
    'fec0::1',
    'ff02::1',
    '4000::1',
    'localhost',
    '',
    '08.8.8.8x',
  ])('is false for %s', (address) => expect(isPublicAddress(address)).toBe(false));
});

describe('egress guard', () => {
  it('allows a public https URL and pins all its addresses', async () => {
    const target = await vet('https://shop.example/hook?x=1', ['93.184.215.14', '2606:4700:4700::1111']);
    expect(target.addresses).toEqual([
      { address: '93.184.215.14', family: 4 },
      { address: '2606:4700:4700::1111', family: 6 },
    ]);
    await expect(vet('https://8.8.8.8/hook')).resolves.toBeDefined();
  });

  it.each([
    ['http://shop.example/', 'https'],
    ['ftp://shop.example/', 'https'],
    ['file:///etc/passwd', 'https'],
    ['gopher://shop.example/', 'https'],
    ['javascript:alert(1)', 'https'],
    ['https://user@shop.example/', 'user name'],
    ['https://:secret@shop.example/', 'user name'],
    ['https://shop.example@127.0.0.1/', 'user name'],
    ['not a url', 'not a URL'],
    ['//shop.example/', 'not a URL'],
    ['https://127.0.0.1/', 'not a public address'],
    ['https://127.1/', 'not a public address'],
    ['https://127.0.0.1./', 'not a public address'],
    ['https://0x7f.1/', 'not a public address'],
    ['https://0x7f000001/', 'not a public address'],
    ['https://0177.0.0.1/', 'not a public address'],
    ['https://2130706433/', 'not a public address'],
    ['https://%31%32%37.0.0.1/', 'not a public address'],
    ['https://①②⑦.0.0.1/', 'not a public address'],
    ['https://127。0。0。1/', 'not a public address'],
    ['https://0/', 'not a public address'],
    ['https://[::1]/', 'not a public address'],
    ['https://[::]/', 'not a public address'],
    ['https://[::ffff:127.0.0.1]/', 'not a public address'],
    ['https://[::ffff:7f00:1]/', 'not a public address'],
    ['https://[64:ff9b::7f00:1]/', 'not a public address'],
    ['https://[fd00:ec2::254]/', 'not a public address'],
    ['https://169.254.169.254/latest/meta-data/', 'not a public address'],
    ['https://100.100.100.200/', 'not a public address'],
  ])('refuses %s', async (url, reason) => {
    await expect(vet(url)).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringContaining(reason) as string,
    });
  });

  it.each([
    [['127.0.0.1']],
    [['8.8.8.8', '127.0.0.1']],
    [['8.8.8.8', '::1']],
    [['2606:4700:4700::1111', '::ffff:10.0.0.1']],
    [['169.254.169.254', '8.8.8.8']],
  ])('refuses a host name with the addresses %j', async (addresses) => {
    await expect(vet('https://shop.example/', addresses)).rejects.toMatchObject({ kind: 'refused' });
  });

  it('treats a host name without an address, or a failed lookup, as a DNS failure', async () => {
    await expect(vet('https://shop.example/', [])).rejects.toMatchObject({ kind: 'dns' });
    await expect(
      requirePublicTarget({ allowPrivate: true, resolve: failing }, 'https://shop.example/', signal),
    ).rejects.toMatchObject({ kind: 'dns' });
    await expect(vet('https://shop.example/', ['nonsense'], true)).rejects.toMatchObject({ kind: 'dns' });
  });

  it.each([
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://localhost/',
    'https://a.localhost./',
    'https://10.1/',
  ])('refuses %s before any DNS lookup', (url) => {
    expect(() => requirePublicUrl({ allowPrivate: false }, url)).toThrow('is not a public address');
    expect(requirePublicUrl({ allowPrivate: true }, url).protocol).toBe('https:');
  });

  it('allows private addresses and http in sandbox and regtest, but no other scheme and no credentials', async () => {
    await expect(vet('http://127.0.0.1:1/', [], true)).resolves.toBeDefined();
    await expect(vet('http://shop.local/', ['10.0.0.1'], true)).resolves.toBeDefined();
    await expect(vet('ftp://127.0.0.1/', [], true)).rejects.toMatchObject({ kind: 'refused' });
    await expect(vet('http://u:p@127.0.0.1/', [], true)).rejects.toMatchObject({ kind: 'refused' });
  });
});
