import { expect, test } from 'vitest';
import { solanaPayUri } from '../../../src/chains/solana/payment-uri.ts';

/** Transfer requests of the Solana Pay specification, the SOL ones, without its optional memo and message. */
const RECIPIENT = 'mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN';

test('solanaPayUri writes a transfer of 1 SOL', () => {
  const uri = solanaPayUri({ address: RECIPIENT, amount: 1_000_000_000n, label: 'Michael' });
  expect(uri).toBe(`solana:${RECIPIENT}?amount=1&label=Michael`);
});

test('solanaPayUri writes decimals with a leading 0 and without an exponent', () => {
  expect(solanaPayUri({ address: RECIPIENT, amount: 10_000_000n })).toBe(`solana:${RECIPIENT}?amount=0.01`);
  expect(solanaPayUri({ address: RECIPIENT, amount: 1n })).toBe(`solana:${RECIPIENT}?amount=0.000000001`);
});

test('solanaPayUri URL-encodes labels', () => {
  // As the specification encodes its message: wallets need not read a plus sign as a space.
  const encoded = solanaPayUri({ address: RECIPIENT, amount: 1n, label: 'Thanks for all the fish' });
  expect(encoded).toMatch(/&label=Thanks%20for%20all%20the%20fish$/);
  const uri = solanaPayUri({ address: RECIPIENT, amount: 1n, label: 'Tea & cake #1' });
  expect(new URLSearchParams(uri.split('?')[1]).get('label')).toBe('Tea & cake #1');
  expect(uri).not.toContain('#');
});
