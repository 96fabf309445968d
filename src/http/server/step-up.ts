import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { type AuthenticateDeps, type Caller, findProof, isSteppedUp } from '../../usecases/accounts/index.ts';
import { hasMark } from '../schemas/security-marks.ts';

/** The step-up that a dashboard session needs before a route serves it. Keys and user tokens need none. */
export interface StepUpRule {
  /** In any case; `code`: only with a second factor, because the request contains the password. */
  readonly always: boolean | 'code';
  /** Fields of body or query that need it if present. */
  readonly fields: readonly string[];
}

/** The parts of a route's definition that determine the rule. */
interface Facts {
  readonly auth: string;
  readonly method: string;
  readonly scope: string | readonly string[];
  readonly data: z.ZodType;
  readonly body?: z.ZodType | undefined;
  readonly query?: z.ZodType | undefined;
  readonly movesMoney?: boolean;
  readonly changesAccess?: true;
  readonly holdsProof?: 'password' | 'code';
}

const NO_STEP_UP: StepUpRule = { always: false, fields: [] };

/**
 * The rule of a route, from its definition: it moves money, changes access, returns a secret, or has a field
 * that determines where money, events or payers go, or what counts as paid. Requests that every holder of the
 * public key may make need none.
 */
export function stepUpRule(route: Facts): StepUpRule {
  if (route.auth === 'none' || route.auth === 'payer' || route.holdsProof === 'code') return NO_STEP_UP;
  if (route.holdsProof === 'password') return { always: 'code', fields: [] };
  const fields = isChange(route) ? sensitiveFields(route.body) : [];
  const always =
    movesMoney(route) ||
    route.changesAccess === true ||
    hasMark(route.data, 'secret') ||
    fields.some(({ isRequired }) => isRequired);
  if (always) return { always, fields: [] };
  return { always, fields: [...fields.map(({ name }) => name), ...askingFields(route.query)] };
}

/** Whether a route changes anything, by its definition. */
export function isChange({ method, scope }: Pick<Facts, 'method' | 'scope'>): boolean {
  return method !== 'GET' && !String(scope).endsWith(':read');
}

function movesMoney(route: Facts): boolean {
  return route.movesMoney ?? (isChange(route) && [route.scope].flat().includes('wallet:send'));
}

interface SensitiveField {
  readonly name: string;
  readonly isRequired: boolean;
}

/** The fields of a body that determine a destination, or what counts as paid. */
function sensitiveFields(body: z.ZodType | undefined): SensitiveField[] {
  if (!(body instanceof z.ZodObject)) return [];
  return Object.entries<z.ZodType>(body.shape)
    .filter(([, schema]) => hasMark(schema, 'directs') || hasMark(schema, 'settles'))
    .map(([name, schema]) => ({ name, isRequired: !schema.isOptional() }));
}

/** The fields of a query that request a secret. */
function askingFields(query: z.ZodType | undefined): string[] {
  if (!(query instanceof z.ZodObject)) return [];
  const fields = Object.entries<z.ZodType>(query.shape);
  return fields.filter(([, schema]) => hasMark(schema, 'secret')).map(([name]) => name);
}

/**
 * Rejects a session without a recent step-up if the route always needs one.
 * @throws {AppError} STEP_UP_REQUIRED with the accepted proofs.
 */
export async function assertSteppedUp(
  deps: AuthenticateDeps,
  { stepUp }: { readonly stepUp: StepUpRule },
  caller: Caller,
): Promise<void> {
  if (stepUp.always !== false) await requireProof(deps, caller, stepUp.always === 'code');
}

/** As above, for the fields of a request. @throws {AppError} STEP_UP_REQUIRED. */
export async function assertFieldsProven(
  deps: AuthenticateDeps,
  { stepUp }: { readonly stepUp: StepUpRule },
  caller: Caller | null,
  { body, query }: { readonly body: unknown; readonly query: unknown },
): Promise<void> {
  if (caller === null) return;
  const isGiven = (name: string): boolean => [body, query].some((part) => hasField(part, name));
  if (stepUp.fields.some(isGiven)) await requireProof(deps, caller, false);
}

function hasField(part: unknown, name: string): boolean {
  return typeof part === 'object' && part !== null && Object.hasOwn(part, name);
}

async function requireProof(
  { db, clock }: AuthenticateDeps,
  caller: Caller,
  isCodeOnly: boolean,
): Promise<void> {
  if (caller.kind !== 'user' || caller.session === null) return;
  if (isSteppedUp(caller.session.steppedUpAt, clock.now())) return;
  const field = await findProof(db, caller.userId);
  if (isCodeOnly && field === 'password') return;
  const what = field === 'code' ? 'a code of your authenticator app' : 'your password';
  const details = [{ field, code: 'required', message: `needs ${what}` }];
  throw new AppError('STEP_UP_REQUIRED', `Confirm with ${what} first`, { details });
}
