import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';

/** The only origin where passkeys work, or null with the reason. */
export interface PasskeyPlace {
  readonly origin: string | null;
  readonly reason: string | null;
}

export interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly backedUp: boolean;
  readonly usable: boolean;
}

export interface PasskeyList extends PasskeyPlace {
  readonly passkeys: readonly Passkey[];
}

export interface PasskeyOptions extends PasskeyPlace {
  readonly options: PublicKeyCredentialRequestOptionsJSON | null;
}

export interface NewPasskey {
  readonly options: PublicKeyCredentialCreationOptionsJSON;
}
