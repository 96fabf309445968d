import { expect, it } from 'vitest';
import { mailboxKey } from '../../../src/domain/email.ts';

it.each([
  ['Ada@Example.org', 'ada@example.org'],
  ['ada+shop@example.org', 'ada@example.org'],
  ['a.d.a@example.org', 'ada@example.org'],
  ['ａda@example.org', 'ada@example.org'],
  ['ada@xn--bcher-kva.example', 'ada@bücher.example'],
])('mailboxKey takes %s and %s for one mailbox', (spelling, other) => {
  expect(mailboxKey(spelling)).toBe(mailboxKey(other));
});

it.each([
  ['ada@example.org', 'bob@example.org'],
  ['ada@example.org', 'ada@example.com'],
  ['ada@a.example.org', 'ada@example.org'],
])('mailboxKey tells %s and %s apart', (one, other) => {
  expect(mailboxKey(one)).not.toBe(mailboxKey(other));
});
