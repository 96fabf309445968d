import { expect, it } from 'vitest';
import { newWebhookSecret } from '../../../src/usecases/events/new-id.ts';
import { webhookSignatureHeader } from '../../../src/workers/webhook-delivery/sign-webhook.ts';
import { SigningKeys } from '../../../src/workers/webhook-delivery/signing-keys.ts';
import { secretBox } from '../../_helpers/webhooks/shop.ts';

const message = { id: 'evt_1', timestampSeconds: 1_800_000_000, body: '{}' };

/** A box that notes what it was asked to open. */
function countingBox() {
  const opened: string[] = [];
  const open = (sealed: string): string => {
    opened.push(sealed);
    return secretBox.open(sealed);
  };
  return { opened, box: { ...secretBox, open } };
}

it('SigningKeys signs with the newest secret first, and decrypts each sealed secret once', () => {
  const { opened, box } = countingBox();
  const keys = new SigningKeys(box);
  const [fresh, old] = [newWebhookSecret(), newWebhookSecret()];
  const sealed = { current: box.seal(fresh), previous: box.seal(old) };
  for (let n = 0; n < 3; n += 1) {
    expect(webhookSignatureHeader(message, keys.of(sealed))).toBe(
      webhookSignatureHeader(message, [fresh, old]),
    );
    expect(webhookSignatureHeader(message, keys.of({ ...sealed, previous: null }))).toBe(
      webhookSignatureHeader(message, [fresh]),
    );
  }
  expect(opened).toEqual([sealed.current, sealed.previous]);
});

it('SigningKeys caches the keys of the most recent merchants, at most 512', () => {
  const { opened, box } = countingBox();
  const keys = new SigningKeys(box);
  const sealed = Array.from({ length: 513 }, () => ({
    current: box.seal(newWebhookSecret()),
    previous: null,
  }));
  const [first, second, last] = [sealed[0], sealed[1], sealed[512]];
  if (first === undefined || second === undefined || last === undefined) throw new Error('no secrets');
  for (const each of sealed.slice(0, 512)) keys.of(each);
  // Used again, it is not the oldest any more.
  keys.of(first);
  keys.of(last);
  opened.length = 0;
  keys.of(first);
  expect(opened).toEqual([]);
  keys.of(second);
  expect(opened).toEqual([second.current]);
});
