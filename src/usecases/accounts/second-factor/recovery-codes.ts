import { createHash, randomBytes } from 'node:crypto';
import { base32crockford } from '@scure/base';

const CODES = 10;
/** 80 bits: 16 characters, beyond guessing even for a thief of the hashes. */
const CODE_BYTES = 10;

/** Ten single-use codes in the form `xxxx-xxxx-xxxx-xxxx`, without letters that look like digits. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, () => {
    const code = base32crockford.encode(randomBytes(CODE_BYTES)).toLowerCase();
    return code.replace(/.{4}(?=.)/g, '$&-');
  });
}

/** SHA-256 under which a code is stored; blanks, dashes and letter case are ignored. */
export function recoveryCodeHash(userId: string, code: string): string {
  const plain = code.replace(/[\s-]/g, '').toLowerCase();
  return createHash('sha256')
    .update(JSON.stringify([userId, plain]))
    .digest('hex');
}
