import { expect, it } from 'vitest';
import { mailboxKey } from '../../../src/domain/email.ts';

it.each([
  ['Ada@Example.org', 'ada@example.org'],
  ['ada+shop@example.org', 'ada@example.org'],
  ['a.d.a@example.org', 'ada@example.org'],
  ['ａda@example.org', 'ada@example.org'],
  ['ada@xn--bcher-kva.example', 'ada@bücher.example'],
])('mailboxKey treats %s and %s as the same mailbox', (spelling, other) => {
  expect(mailboxKey(spelling)).toBe(mailboxKey(other));
});

it.each([
  ['ada@example.org', 'bob@example.org'],
  ['ada@example.org', 'ada@example.com'],
  ['ada@a.example.org', 'ada@example.org'],
])('mailboxKey distinguishes %s from %s', (one, other) => {
  expect(mailboxKey(one)).not.toBe(mailboxKey(other));
});
