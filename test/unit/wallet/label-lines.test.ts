import { describe, expect, it } from 'vitest';
import { parseLabelLines } from '../../../src/usecases/labels/label-lines.ts';

const TXID = 'f91d0a8a78462bc59398f2c5d7a84fcff491c26ba54c4833478b202796c8aafd';
/** The test vectors of BIP 329. */
const VECTORS = `{ "type": "tx", "ref": "${TXID}", "label": "Transaction", "origin": "wpkh([d34db33f/84'/0'/0'])" }
{ "type": "addr", "ref": "bc1q34aq5drpuwy3wgl9lhup9892qp6svr8ldzyy7c", "label": "Address" }
{ "type": "pubkey", "ref": "0283409659355b6d1cc3c32decd5d561abaac86c37a353b52895a5e6c196d6f448", "label": "Public Key" }
{ "type": "input", "ref": "${TXID}:0", "label": "Input" }
{ "type": "output", "ref": "${TXID}:1", "label": "Output", "spendable": false }
`;

describe('parseLabelLines', () => {
  it('reads the test vectors of BIP 329', () => {
    const { records, unreadable } = parseLabelLines(VECTORS);
    expect(unreadable).toEqual([]);
    expect(records.map(({ line, type, label, spendable }) => [line, type, label, spendable])).toEqual([
      [1, 'tx', 'Transaction', undefined],
      [2, 'addr', 'Address', undefined],
      [3, 'pubkey', 'Public Key', undefined],
      [4, 'input', 'Input', undefined],
      [5, 'output', 'Output', false],
    ]);
  });

  it('names unreadable lines by their number and hides no other line', () => {
    const text = `\uFEFFnot json\r\n\r\n{"type":"tx","ref":"${TXID}"}\r\n{"type":"tx"}\n[]\n{"type":"output","ref":"x","spendable":"false"}`;
    const { records, unreadable } = parseLabelLines(text);
    expect(records.map(({ line }) => line)).toEqual([3]);
    expect(unreadable.map(({ line }) => line)).toEqual([1, 4, 5, 6]);
    expect(unreadable[0]).toEqual({ line: 1, message: 'is not JSON' });
    expect(unreadable[1]?.message).toMatch(/^ref /);
  });

  it('truncates a long label to 255 code points and makes one line of it', () => {
    const label = `a\\nb${'😀'.repeat(300)}`;
    const [record] = parseLabelLines(`{"type":"tx","ref":"${TXID}","label":"${label}"}`).records;
    expect(record?.label).toMatch(/^.{255}$/su);
    expect(record?.label?.startsWith('a b😀')).toBe(true);
    expect(record?.isTruncated).toBe(true);
  });
});
