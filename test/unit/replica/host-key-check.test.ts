import { describe, expect, it } from 'vitest';
import { HostKeyCheck, HostKeyError, parseKnownHosts } from '../../../src/replica/host-key-check.ts';

const KNOWN = Buffer.from('the blob of the known host key');
const STRANGE = Buffer.from('the blob of another host key!!');
const LINE = `[host.example]:22 ssh-ed25519 ${KNOWN.toString('base64')}`;
const GREETING = Buffer.from('SSH-2.0-OpenSSH_9.2\r\n');

function packet(payload: Buffer, padding = 7): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(payload.length + padding + 1);
  head.writeUInt8(padding, 4);
  return Buffer.concat([head, payload, Buffer.alloc(padding)]);
}

const text = (bytes: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};
const kexinit = (isGuessing = false): Buffer => {
  const names = Array.from({ length: 10 }, () => text(Buffer.from('curve25519-sha256')));
  return packet(
    Buffer.concat([
      Buffer.from([20]),
      Buffer.alloc(16),
      ...names,
      Buffer.from([isGuessing ? 1 : 0, 0, 0, 0, 0]),
    ]),
  );
};
const reply = (key: Buffer): Buffer =>
  packet(Buffer.concat([Buffer.from([31]), text(key), text(Buffer.alloc(32)), text(Buffer.alloc(64))]));
const message = (type: number): Buffer => packet(Buffer.from([type]));

/** What the client gets of these bytes, taken so many at a time. */
function passed(bytes: Buffer, size = bytes.length): Buffer {
  const check = new HostKeyCheck(parseKnownHosts(LINE));
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) parts.push(check.take(bytes.subarray(at, at + size)));
  return Buffer.concat(parts);
}

describe('a file of known hosts', () => {
  it('is read as ssh-keyscan writes it', () => {
    const other = `host.example ecdsa-sha2-nistp256 ${STRANGE.toString('base64')} a comment`;
    const keys = parseKnownHosts(`# host.example:22 SSH-2.0-OpenSSH_9.2\n${LINE}\n\n${other}\r\n`);
    expect([...keys]).toEqual([KNOWN.toString('base64'), STRANGE.toString('base64')]);
  });

  it.each([
    ['nothing', '# only a comment\n'],
    ['an authority, which would vouch for any key', `@cert-authority ${LINE}`],
    ['a key that was withdrawn', `${LINE}\n@revoked ${LINE}`],
    ['a public key alone', LINE.replace('[host.example]:22 ', '')],
    ['something else', 'PermitRootLogin yes'],
  ])('with %s is refused', (_what, content) => {
    expect(() => parseKnownHosts(content)).toThrow(HostKeyError);
  });
});

describe('a server', () => {
  const honest = Buffer.concat([
    GREETING,
    message(2),
    kexinit(),
    message(4),
    reply(KNOWN),
    message(21),
    Buffer.from('encrypted'),
  ]);

  it.each([honest.length, 1, 7])('that is known passes whole, %i bytes at a time', (size) => {
    expect(passed(honest, size)).toEqual(honest);
  });

  it('that is not known is refused before its host key reaches the client', () => {
    const check = new HostKeyCheck(parseKnownHosts(LINE));
    const before = Buffer.concat([GREETING, kexinit()]);
    expect(check.take(before)).toEqual(before);
    expect(() => check.take(reply(STRANGE))).toThrow(/not in the file of known hosts \(SHA256:/);
  });

  it.each([
    [
      'guesses, so that the client would ignore the known key and take the next',
      [GREETING, kexinit(true), reply(KNOWN)],
    ],
    ['offers twice', [GREETING, kexinit(), kexinit()]],
    ['shows a key that nobody asked for', [GREETING, reply(KNOWN)]],
    ['leaves its key out', [GREETING, kexinit(), message(21)]],
    ['shows no key in its answer', [GREETING, kexinit(), message(31)]],
    ['claims a longer key than it sends', [GREETING, kexinit(), packet(Buffer.from([31, 0, 0, 1, 0, 7]))]],
    ['sends a packet without end', [GREETING, Buffer.from([0xff, 0xff, 0xff, 0xff])]],
    ['sends a packet that is all padding', [GREETING, kexinit(), packet(Buffer.alloc(0), 200)]],
    ['speaks another protocol', [Buffer.from('220 ftp.example\r\n')]],
    ['speaks an old version', [Buffer.from('SSH-1.99-old\r\n')]],
    ['greets without end', [Buffer.alloc(300, 'a')]],
  ])('that %s is refused', (_what, parts) => {
    expect(() => passed(Buffer.concat(parts))).toThrow(HostKeyError);
  });
});
