import { errors, jwtVerify, SignJWT, type JWTVerifyResult } from 'jose';
import { z } from 'zod';
import type { AppError } from '../../../domain/errors.ts';
import type { Clock } from '../../../domain/ports.ts';
import { unauthorised } from '../../../domain/unauthorised.ts';

const LIFETIME_S = 24 * 3600;
const MAX_AHEAD_S = 60;
const ISSUER = 'tilld';

const claims = z.object({ sub: z.string(), ver: z.int(), iat: z.number(), exp: z.number() });

interface IssuedToken {
  readonly token: string;
  readonly expiresAt: number;
}

/** Issues and reads user tokens: JWT (RFC 7519), HS256, 24 hours. */
export interface JwtTokens {
  issue(user: { id: string; tokenVersion: number }): Promise<IssuedToken>;
  /**
   * The user and the token version of a token.
   * @throws {AppError} UNAUTHORISED, with the reason, when it is not valid.
   */
  read(token: string): Promise<{ userId: string; tokenVersion: number }>;
}

/** @param secret HS256 key, 32 bytes or more. */
export function createJwtTokens(deps: { readonly secret: Uint8Array; readonly clock: Clock }): JwtTokens {
  const { secret, clock } = deps;
  if (secret.length < 32) throw new Error('the JWT secret must have 32 bytes or more');
  return {
    issue: async ({ id, tokenVersion }) => {
      const iat = Math.floor(clock.now() / 1000);
      const token = await new SignJWT({ ver: tokenVersion })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setIssuer(ISSUER)
        .setSubject(id)
        .setIssuedAt(iat)
        .setExpirationTime(iat + LIFETIME_S)
        .sign(secret);
      return { token, expiresAt: (iat + LIFETIME_S) * 1000 };
    },
    read: async (token) => {
      const now = clock.now();
      const verified = await jwtVerify(token, secret, {
        algorithms: ['HS256'],
        issuer: ISSUER,
        currentDate: new Date(now),
      }).catch((error: unknown): JWTVerifyResult => {
        throw rejection(error);
      });
      const parsed = claims.safeParse(verified.payload);
      if (!parsed.success) throw unauthorised('unknown');
      const { sub, ver, iat, exp } = parsed.data;
      if (iat > now / 1000 + MAX_AHEAD_S || exp - iat > LIFETIME_S) throw unauthorised('unknown');
      return { userId: sub, tokenVersion: ver };
    },
  };
}

/** The signature is verified before the expiry, so `expired` is said only about a token that was issued here. */
function rejection(error: unknown): AppError {
  if (error instanceof errors.JWTExpired) return unauthorised('expired');
  const isMalformed = error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid;
  return unauthorised(isMalformed ? 'malformed' : 'unknown');
}
