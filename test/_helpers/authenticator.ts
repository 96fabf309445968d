import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

/** What a browser would hand to `navigator.credentials`, as far as an authenticator needs it. */
export interface CreateOptions {
  readonly challenge: string;
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
}

export interface GetOptions {
  readonly challenge: string;
  readonly rpId: string;
}

/** What may be forged in an answer. */
export interface Forgery {
  readonly origin?: string;
  readonly type?: string;
  readonly challenge?: string;
  readonly crossOrigin?: boolean;
  readonly topOrigin?: string;
  readonly rpId?: string;
  readonly userPresent?: boolean;
  readonly userVerified?: boolean;
  readonly backupEligible?: boolean;
  readonly backedUp?: boolean;
  readonly counter?: number;
  readonly userHandle?: string | null;
  /** The id that the answer claims, in place of the credential's own. */
  readonly id?: string;
  /** Signs with another key than that of the credential. */
  readonly key?: KeyObject;
  readonly spoil?: 'signature';
  /** The attestation statement in place of none. */
  readonly attestation?: { readonly format: string; readonly certificates: readonly Buffer[] };
}

/** An authenticator of ours, with a passkey for each site: every field of what it signs can be forged. */
export class Authenticator {
  readonly origin: string;
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly credentialId = randomBytes(32);
  userHandle = '';
  /** 0 for an authenticator that does not count. */
  counter = 0;

  constructor(origin: string) {
    this.origin = origin;
  }

  get id(): string {
    return this.credentialId.toString('base64url');
  }

  /** Answers `navigator.credentials.create`. */
  create(options: CreateOptions, forged: Forgery = {}): Record<string, unknown> {
    this.userHandle = options.user.id;
    const clientData = this.#clientData('webauthn.create', options.challenge, forged);
    const authData = this.#authData(forged.rpId ?? options.rp.id, forged, true);
    const { attestation } = forged;
    const statement = new Map<string, Cbor>(
      attestation === undefined
        ? []
        : [
            ['alg', -7],
            ['sig', randomBytes(70)],
            ['x5c', [...attestation.certificates]],
          ],
    );
    const attestationObject = cbor(
      new Map<string, Cbor>([
        ['fmt', attestation?.format ?? 'none'],
        ['attStmt', statement],
        ['authData', authData],
      ]),
    );
    return {
      id: forged.id ?? this.id,
      rawId: forged.id ?? this.id,
      type: 'public-key',
      clientExtensionResults: { credProps: { rk: true } },
      authenticatorAttachment: 'platform',
      response: {
        clientDataJSON: clientData.toString('base64url'),
        attestationObject: attestationObject.toString('base64url'),
        transports: ['internal'],
      },
    };
  }

  /** Answers `navigator.credentials.get`. */
  get(options: GetOptions, forged: Forgery = {}): Record<string, unknown> {
    const clientData = this.#clientData('webauthn.get', options.challenge, forged);
    const authData = this.#authData(forged.rpId ?? options.rpId, forged, false);
    const base = Buffer.concat([authData, createHash('sha256').update(clientData).digest()]);
    const signature = sign('sha256', base, forged.key ?? this.#keys.privateKey);
    if (forged.spoil === 'signature') signature[20] = (signature[20] ?? 0) ^ 1;
    const userHandle = forged.userHandle === undefined ? this.userHandle : forged.userHandle;
    return {
      id: forged.id ?? this.id,
      rawId: forged.id ?? this.id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: signature.toString('base64url'),
        ...(userHandle === null ? {} : { userHandle }),
      },
    };
  }

  #clientData(type: string, challenge: string, forged: Forgery): Buffer {
    const { topOrigin } = forged;
    return Buffer.from(
      JSON.stringify({
        type: forged.type ?? type,
        challenge: forged.challenge ?? challenge,
        origin: forged.origin ?? this.origin,
        crossOrigin: forged.crossOrigin ?? false,
        ...(topOrigin === undefined ? {} : { topOrigin }),
      }),
    );
  }

  #authData(rpId: string, forged: Forgery, withKey: boolean): Buffer {
    const { userPresent = true, userVerified = true, backupEligible = false, backedUp = false } = forged;
    const flags =
      Number(userPresent) |
      (Number(userVerified) << 2) |
      (Number(backupEligible) << 3) |
      (Number(backedUp) << 4) |
      (Number(withKey) << 6);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(forged.counter ?? this.counter);
    const head = [createHash('sha256').update(rpId).digest(), Buffer.from([flags]), counter];
    return Buffer.concat(withKey ? [...head, this.#attested()] : head);
  }

  #attested(): Buffer {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.credentialId.length);
    const key = new Map<number, Cbor>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]);
    return Buffer.concat([Buffer.alloc(16), length, this.credentialId, cbor(key)]);
  }
}

type Cbor = number | string | Buffer | Cbor[] | Map<string | number, Cbor>;

/** The part of CBOR (RFC 8949) that attestation objects and keys are made of. */
function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  const entries = [...value].flatMap(([key, inner]) => [cbor(key), cbor(inner)]);
  return Buffer.concat([head(5, value.size), ...entries]);
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  if (length < 256) return Buffer.from([(major << 5) | 24, length]);
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
}
