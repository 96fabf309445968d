import { parseDocument } from 'yaml';
import { z } from 'zod';
import type { ConfigProblem } from './errors.ts';
import { closestMatch } from './closest-match.ts';
import type { Setting } from './setting.ts';
import { CONFIG_VARIABLE, SETTINGS, type SettingName, type Values } from './settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const ALL: readonly Setting[] = Object.values(SETTINGS);
const PATHS = ALL.map((setting) => setting.yaml).filter((path) => path !== null);
const VARIABLES = [CONFIG_VARIABLE, ...ALL.map((setting) => setting.env)];

/** Variables of the project's own test tools, ignored by the daemon. */
const OTHER_VARIABLES = new Set(['TILLD_NODES_DIR']);
/** Kubernetes sets these in every pod if a service is called `tilld`. */
const KUBERNETES_LINK = /^TILLD_(?:SERVICE_|PORT_\d+_)/;

const mapping = z.record(z.string(), z.unknown());

export interface Reading {
  /** An invalid value is replaced by its default, so that the other checks can still run. */
  readonly values: Values;
  readonly problems: ConfigProblem[];
}

/** Reads every setting from the environment, else the YAML text, else its default. */
export function readSettings(yamlText: string, env: Environment): Reading {
  const problems: ConfigProblem[] = [];
  const found = new Map<string, unknown>();
  collectKeys(parseYaml(yamlText, problems), '', found, problems);
  problems.push(...unknownVariables(env));
  const entries = Object.entries(SETTINGS).map(([name, setting]) => [
    name,
    isOverridden(name, env) ? undefined : readOne(setting, env, found, problems),
  ]);
  return { values: Object.fromEntries(entries) as Record<SettingName, unknown> as Values, problems };
}

/** Scalars stay strings (YAML's failsafe schema): no number loses digits, `on` and `off` stay text. */
function parseYaml(text: string, problems: ConfigProblem[]): unknown {
  const document = parseDocument(text, { schema: 'failsafe', uniqueKeys: true });
  for (const error of document.errors) {
    const [firstLine = 'cannot be read'] = error.message.split('\n');
    problems.push({ variable: null, path: null, message: `the file is not valid YAML: ${firstLine}` });
  }
  return document.errors.length > 0 ? {} : document.toJS({ maxAliasCount: 0 });
}

/** Walks the file: keeps leaves of known paths, reports anything else as a problem. */
function collectKeys(
  node: unknown,
  prefix: string,
  found: Map<string, unknown>,
  problems: ConfigProblem[],
): void {
  const section = mapping.safeParse(isUnset(node) ? {} : node);
  if (!section.success) {
    problems.push({ variable: null, path: prefix || null, message: 'must be a mapping of settings' });
    return;
  }
  for (const [key, value] of Object.entries(section.data)) {
    const path = prefix === '' ? key : `${prefix}.${key}`;
    if (PATHS.includes(path)) found.set(path, value);
    else if (PATHS.some((known) => known.startsWith(`${path}.`))) collectKeys(value, path, found, problems);
    else problems.push({ variable: null, path, message: `is no setting${suggestion(path, PATHS)}` });
  }
}

/**
 * Whether the environment sets the same value for which the YAML names a file: the environment has
 * precedence.
 */
function isOverridden(name: string, env: Environment): boolean {
  const settings: Readonly<Record<string, Setting>> = SETTINGS;
  const own = settings[name];
  const direct = name.endsWith('File') ? settings[name.slice(0, -'File'.length)] : undefined;
  if (own === undefined || direct === undefined) return false;
  return isUnset(env[own.env]) && !isUnset(env[direct.env]);
}

function readOne(
  setting: Setting,
  env: Environment,
  found: ReadonlyMap<string, unknown>,
  problems: ConfigProblem[],
): unknown {
  const fromEnv = env[setting.env];
  const fromFile = setting.yaml === null ? undefined : found.get(setting.yaml);
  const raw = [fromEnv, fromFile, setting.fallback].find((value) => !isUnset(value));
  if (raw === undefined) return undefined;
  const parsed = setting.schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  const got = setting.isSecret || typeof raw !== 'string' ? '' : `, not "${raw}"`;
  const message = parsed.error.issues.map((issue) => issue.message).join('; ');
  problems.push({ variable: setting.env, path: setting.yaml, message: `${message}${got}` });
  return setting.fallback === undefined ? undefined : setting.schema.parse(setting.fallback);
}

/** An empty variable or key counts as unset, because compose files pass empty variables on. */
function isUnset(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

function unknownVariables(env: Environment): ConfigProblem[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('TILLD_') && !VARIABLES.includes(name))
    .filter((name) => !OTHER_VARIABLES.has(name) && !KUBERNETES_LINK.test(name))
    .map((name) => ({
      variable: name,
      path: null,
      message: `is no variable of tilld${suggestion(name, VARIABLES)}`,
    }));
}

function suggestion(name: string, known: readonly string[]): string {
  const match = closestMatch(name, known);
  return match === null ? '' : `; did you mean ${match}?`;
}
