import { expect, it } from 'vitest';
import { normalizedMailbox } from '../../../src/domain/email.ts';

it.each([
  ['Ada@Example.org', 'ada@example.org'],
  ['ada+shop@example.org', 'ada@example.org'],
  ['a.d.a@example.org', 'ada@example.org'],
  ['ａda@example.org', 'ada@example.org'],
  ['ada@xn--bcher-kva.example', 'ada@bücher.example'],
])('normalizedMailbox treats %s and %s as the same mailbox', (spelling, other) => {
  expect(normalizedMailbox(spelling)).toBe(normalizedMailbox(other));
});

it.each([
  ['ada@example.org', 'bob@example.org'],
  ['ada@example.org', 'ada@example.com'],
  ['ada@a.example.org', 'ada@example.org'],
])('normalizedMailbox distinguishes %s from %s', (one, other) => {
  expect(normalizedMailbox(one)).not.toBe(normalizedMailbox(other));
});
