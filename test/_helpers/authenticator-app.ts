import { base32nopad } from '@scure/base';
import { codeOfStep } from '../../src/usecases/accounts/second-factor/totp.ts';
import type { SessionClient } from './session-client.ts';

const STEP_MS = 30_000;

interface MovableClock {
  now(): number;
  advance(ms: number): void;
}

/** An authenticator app of a person, on the clock of the daemon. Each code advances that clock, because it counts once. */
export class AuthenticatorApp {
  readonly #secret: string;
  readonly #clock: MovableClock;

  private constructor(secret: string, clock: MovableClock) {
    this.#secret = secret;
    this.#clock = clock;
  }

  /** Sets up the app of the person who is signed in, whose address is confirmed. */
  static async setUp(
    session: SessionClient,
    clock: MovableClock,
    password: string,
  ): Promise<AuthenticatorApp> {
    const { body } = await session.call<{ secret: string }>('POST', '/auth/totp/setup', { password });
    const app = new AuthenticatorApp(body.data.secret, clock);
    const enabled = await session.call('POST', '/auth/totp/enable', { code: app.code() });
    if (enabled.status !== 200) throw new Error(`enabling the app answered ${enabled.status}`);
    return app;
  }

  code(): string {
    this.#clock.advance(STEP_MS);
    return codeOfStep(base32nopad.decode(this.#secret), Math.floor(this.#clock.now() / STEP_MS));
  }

  /** The same app, with a daemon on another clock. */
  on(clock: MovableClock): AuthenticatorApp {
    return new AuthenticatorApp(this.#secret, clock);
  }
}
