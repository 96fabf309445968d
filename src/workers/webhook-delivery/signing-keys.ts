import type { KeyObject } from 'node:crypto';
import type { SecretBox } from '../../domain/keys.ts';
import type { SealedWebhookSecrets } from '../../store/webhooks/webhook-targets.ts';
import { signingKey } from './sign-webhook.ts';

const MAX_KEPT = 512;

/**
 * Decrypts webhook secrets and caches the keys used last. The cache key is the encrypted text, which differs
 * for each secret, so a cached key never outlives a rotation.
 */
export class SigningKeys {
  readonly #secretBox: SecretBox;
  readonly #kept = new Map<string, KeyObject>();

  constructor(secretBox: SecretBox) {
    this.#secretBox = secretBox;
  }

  /** The keys to sign with, the newest first. */
  of({ current, previous }: SealedWebhookSecrets): KeyObject[] {
    return previous === null ? [this.#open(current)] : [this.#open(current), this.#open(previous)];
  }

  #open(sealed: string): KeyObject {
    const key = this.#kept.get(sealed) ?? signingKey(this.#secretBox.open(sealed));
    this.#kept.delete(sealed);
    this.#kept.set(sealed, key);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return key;
  }
}
