import * as fc from 'fast-check';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createLogger } from '../../src/app/logger.ts';

function logged(write: (logger: ReturnType<typeof createLogger>) => void): string {
  let text = '';
  write(createLogger('info', { write: (line) => void (text += line) }));
  return text;
}

describe('createLogger', () => {
  it('redacts secrets by the name of their field, two levels deep', () => {
    const text = logged((logger) =>
      logger.info(
        { password: 'hunter2hunter2', user: { token: 'abc123abc' }, a: { b: { secret: 'deep-one' } } },
        'x',
      ),
    );
    expect(text).not.toMatch(/hunter2|abc123|deep-one/);
    expect(JSON.parse(text)).toMatchObject({ msg: 'x', level: 'info', password: '[redacted]' });
  });

  it('redacts secrets inside any text', () => {
    const key = `sk_${'a1B2'.repeat(10)}`;
    const restricted = `rk_${'d3E4'.repeat(10)}`;
    const hook = `whsec_${'QUJD'.repeat(10)}=`;
    const jwt = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1c2VyIn0.${'c'.repeat(43)}`;
    const text = logged((logger) =>
      logger.error(
        {
          err: new Error(`failed at http://rpcuser:rpcpass@127.0.0.1:8332/ with ${key} and ${restricted}`),
          hook,
          jwt,
        },
        `Bearer ${jwt}`,
      ),
    );
    expect(text).toContain('sk_[redacted] and rk_[redacted]');
    expect(text).not.toMatch(/rpcpass|a1B2a1B2|d3E4d3E4|QUJDQUJD|eyJzdWIi/);
    expect(text).toContain('127.0.0.1:8332');
  });

  it.each(['https', 'ws', 'wss', 'smtp', 'smtps'])('redacts the password of a %s URL', (scheme) => {
    const text = logged((logger) => logger.info(`lost ${scheme}://user:hunter2@node.example:8900/`));
    expect(text).not.toContain('hunter2');
    expect(text).toContain('node.example:8900');
  });

  it.each([
    'http://:hunter2@node.example/',
    'https://hunter2@node.example/',
    'wss://a:b:hunter2@node.example/',
  ])('redacts everything before the host in %s', (url) => {
    const text = logged((logger) => logger.info(`lost ${url}`));
    expect(text).not.toContain('hunter2');
    expect(text).toContain('node.example');
  });

  it.each([
    'eyJ-',
    'eyJaaaaaaaa-',
    'eyJaaaaaaaa.',
    ':',
    'a:',
    'a:b@',
    'rk_',
    'whsec_',
    'Bearer ',
    'https://a:',
  ])('redacts a long text made of %j in negligible time, because anyone can put it into a URL', (piece) => {
    const path = `/http://${piece.repeat(16_000 / piece.length)}`;
    const times = [1, 2, 3, 4, 5].map(() => {
      const start = process.cpuUsage();
      logged((logger) => logger.info({ path }, 'request'));
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1000;
    });
    // Milliseconds of the processor, whatever else the machine does. Quadratic, it is hundreds.
    expect(Math.min(...times)).toBeLessThan(60);
  });

  it('leaves ordinary text unchanged', () => {
    expect(logged((logger) => logger.info({ txid: 'ab'.repeat(32) }, 'sent'))).toContain('ab'.repeat(32));
  });

  it('writes plain fields in the format of pino', () => {
    const plain = fc.oneof(fc.string({ unit: 'binary' }), fc.double(), fc.boolean(), fc.constant(null));
    const fields = fc.dictionary(fc.string(), fc.oneof(plain, fc.constant(undefined)));
    fc.assert(
      fc.property(fields, fc.string(), (values, message) => {
        let expected = '';
        const options = { base: null, formatters: { level: (label: string) => ({ level: label }) } };
        pino(options, { write: (line) => void (expected += line) }).info({ ...values, time: 1 }, message);
        const text = logged((logger) => logger.info({ ...values, time: 1 }, message));
        expect(text.endsWith('\n')).toBe(true);
        expect(JSON.parse(text)).toEqual(JSON.parse(expected));
      }),
    );
  });

  it('writes errors and bigint amounts, with and without a message', () => {
    const text = logged((logger) => {
      logger.error(new Error('broke'), 'it');
      logger.info({ atoms: 12n }, 'much');
      logger.info({ count: 1 });
    });
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines).toMatchObject([
      { level: 'error', err: { message: 'broke' }, msg: 'it' },
      { msg: 'much' },
      { count: 1 },
    ]);
  });
});
