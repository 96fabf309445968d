import { describe, expect, it } from 'vitest';
import { LogOutput } from '../../src/app/log-output.ts';

/** An output whose writes fail with a code while it is set, and that accepts so many bytes before it does. */
class FakeFile {
  text = '';
  code: string | null = null;
  room = Infinity;

  readonly write = (bytes: Uint8Array): number => {
    const written = Math.min(bytes.length, this.room);
    if (written === 0 || (this.code !== null && this.room === Infinity))
      throw Object.assign(new Error('failed'), { code: this.code ?? 'ENOSPC' });
    this.text += Buffer.from(bytes.subarray(0, written)).toString();
    this.room -= written;
    return written;
  };
}

const turn = async (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe('LogOutput', () => {
  it('writes all lines of one event-loop turn in one call', async () => {
    const file = new FakeFile();
    const output = new LogOutput(file.write);
    output.write('a\n');
    output.write('b\n');
    await turn();
    expect(file.text).toBe('a\nb\n');
    expect(output.dropped).toBe(0);
    expect(output.warnings()).toEqual([]);
  });

  it.each(['ENOSPC', 'EPIPE', 'EIO'])('drops and counts lines while writes fail with %s', async (code) => {
    const file = new FakeFile();
    const output = new LogOutput(file.write);
    file.code = code;
    output.write('a\nb\n');
    await turn();
    output.write('c\n');
    await turn();
    expect(output.dropped).toBe(3);
    expect(output.warnings()).toEqual([`the log cannot be written (${code}): 3 lines were dropped`]);
    file.code = null;
    output.write('d\n');
    await turn();
    await turn();
    const [first = '', second = ''] = file.text.split('\n');
    expect(first).toBe('d');
    expect(JSON.parse(second)).toMatchObject({ level: 'warn', reason: code, dropped: 3 });
    expect(output.warnings()).toEqual([]);
    expect(output.dropped).toBe(3);
  });

  it('begins a new line after a full disk truncated the previous one', async () => {
    const file = new FakeFile();
    const output = new LogOutput(file.write);
    file.room = 3;
    output.write('abcdef\n');
    await turn();
    expect(output.dropped).toBe(1);
    file.room = Infinity;
    output.write('next\n');
    await turn();
    expect(file.text.split('\n').slice(0, 2)).toEqual(['abc', 'next']);
  });

  it('buffers up to a megabyte for a slow reader, and drops further lines', async () => {
    const file = new FakeFile();
    const output = new LogOutput(file.write);
    file.code = 'EAGAIN';
    output.write('a\n');
    await turn();
    expect(output.dropped).toBe(0);
    file.code = null;
    output.write('b\n');
    await turn();
    expect(file.text).toBe('a\nb\n');
    file.code = 'EAGAIN';
    output.write(`${'x'.repeat(1_000_001)}\n`);
    await turn();
    expect(output.dropped).toBe(1);
    expect(output.warnings()).toEqual(['the log cannot be written (EAGAIN): 1 lines were dropped']);
  });
});
