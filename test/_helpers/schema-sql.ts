/** The schema of a database as text to read, tables in the order of the subjects below. */
import type Sqlite from 'better-sqlite3';

const WIDTH = 110;
const HEADER = `-- The whole schema. A new database is made from this file; any other one has the same once it is migrated.
-- Generated from the migrations: after a new one run \`npm run schema\`. The row types beside this file document the
-- columns. Times are integer milliseconds, flags 0 or 1, atoms decimal text (wei do not fit 64 bits); *_json is JSON
-- text, compressed where it is a BLOB, *_sealed AES-GCM text. Triggers keep the tables of counts and totals.
`;
/** Every table belongs to one. */
const SUBJECTS: Readonly<Record<string, readonly string[]>> = {
  'Accounts: users, what they sign in with, and what was revoked': [
    'users',
    'account_tokens',
    'second_factors',
    'recovery_codes',
    'known_networks',
    'sessions',
    'passkeys',
    'spent_challenges',
    'revocations',
  ],
  'Mails, and notices to users and the operator': [
    'mails',
    'notices',
    'notice_mails',
    'notice_choices',
    'notice_languages',
    'notice_conditions',
    'attention_dismissals',
  ],
  'Shops, their members and keys': [
    'merchants',
    'merchant_logos',
    'domain_checks',
    'members',
    'invitations',
    'audit_log',
    'api_keys',
    'restricted_keys',
    'connect_codes',
    'counters',
  ],
  'Customers and catalog': [
    'customers',
    'customer_counts',
    'products',
    'product_shops',
    'prices',
    'payment_links',
    'subscriptions',
    'subscription_invoices',
    'subscription_mails',
  ],
  'Payments and refunds': [
    'payments',
    'payment_options',
    'payment_notes',
    'payment_counts',
    'payment_day_counts',
    'volume_totals',
    'sellers',
    'receipts',
    'refunds',
    'refund_links',
  ],
  'Ledger: addresses, the outputs they received, and the books': [
    'addresses',
    'address_tips',
    'address_counters',
    'look_ahead_ranges',
    'watch_accounts',
    'watch_addresses',
    'wallet_labels',
    'outputs',
    'output_counts',
    'frozen_outputs',
    'unconfirmed_inputs',
    'raw_transactions',
    'movements',
  ],
  'Sends, with the signed bytes of each version': [
    'sends',
    'send_versions',
    'fee_levels',
    'wallet_freezes',
    'wallet_limits',
    'send_approvals',
    'send_psbts',
    'send_psbt_inputs',
    'wallet_forwards',
    'forward_counters',
  ],
  'Chains: how far each is read': ['chain_cursors', 'chain_blocks', 'chain_gaps', 'unread_transactions'],
  'Events and webhooks': [
    'events',
    'event_counts',
    'deliveries',
    'delivery_counts',
    'webhook_logs',
    'webhook_log_counts',
    'webhook_endpoints',
    'endpoint_health',
    'gone_endpoints',
  ],
  'The daemon itself, and the networks of the sandbox': [
    'meta',
    'idempotency',
    'sim_blocks',
    'sim_transactions',
    'sim_spends',
  ],
};

interface Entry {
  readonly type: string;
  readonly table: string;
  readonly sql: string;
}

/** @throws for a table that no subject names. */
export function schemaText(db: Sqlite.Database): string {
  const entries = db
    .prepare(
      `SELECT type, tbl_name AS "table", sql FROM sqlite_schema
      WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND tbl_name NOT LIKE 'kysely_%' ORDER BY rowid`,
    )
    .all() as Entry[];
  const named = Object.values(SUBJECTS).flat();
  const unnamed = entries.filter(({ table }) => !named.includes(table));
  if (unnamed.length > 0) throw new Error(`no subject of schema.sql has the table ${unnamed[0]?.table}`);
  const sections = Object.entries(SUBJECTS).map(([subject, tables]) => {
    const texts = tables.map((table) => tableText(entries.filter((entry) => entry.table === table)));
    return [`-- ${subject}\n`, ...texts].join('\n');
  });
  return [HEADER, ...sections].join('\n');
}

/** A table with its indexes and triggers, each kind in the order it was made. */
function tableText(entries: readonly Entry[]): string {
  const ofType = (type: string) => entries.filter((entry) => entry.type === type).map(({ sql }) => sql);
  const table = ofType('table').map(layOutTable);
  const indexes = ofType('index').map((sql) => `${layOut(normaliseSql(sql), '')};\n`);
  const triggers = ofType('trigger').map(layOutTrigger);
  return [...table, ...indexes, ...triggers].join('');
}

/** Without comments, line breaks and the quotes that SQLite puts around renamed tables. */
export function normaliseSql(sql: string): string {
  return outsideStrings(sql, (text) =>
    text
      .replaceAll(/--.*$/gm, '')
      .replaceAll('"', '')
      .replaceAll(/\s+/g, ' ')
      .replaceAll('( ', '(')
      .replaceAll(/ (?=[),])/g, ''),
  ).trim();
}

function outsideStrings(sql: string, change: (text: string) => string): string {
  return sql
    .split(/('(?:[^']|'')*')/)
    .map((part, at) => (at % 2 === 0 ? change(part) : part))
    .join('');
}

function layOutTable(sql: string): string {
  const text = normaliseSql(sql);
  const [, head = '', body = '', options = ''] = /^(CREATE TABLE \w+) \((.*)\) ?([^)]*)$/.exec(text) ?? [];
  const columns = splitAtTop(body, /^, /).map((column) => layOut(column, '  '));
  return `${head} (\n${columns.join(',\n')}\n)${options === '' ? '' : ` ${options}`};\n`;
}

function layOutTrigger(sql: string): string {
  const [, head = '', body = ''] = /^(.*?) BEGIN (.*) END$/.exec(normaliseSql(sql)) ?? [];
  const [event = '', condition] = splitAtTop(head, /^ (?=WHEN )/);
  const statements = splitAtTop(body, /^; ?/).filter((statement) => statement !== '');
  return [
    `${layOut(event, '')}\n`,
    condition === undefined ? '' : `${layOut(condition, '  ')}\n`,
    'BEGIN\n',
    ...statements.map((statement) => `${layOut(statement, '  ')};\n`),
    'END;\n',
  ].join('');
}

const CLAUSE = /^ (?=(?:FROM|WHERE|ON|ON CONFLICT|VALUES|SELECT|AND|OR|UNION|GROUP BY|CHECK|REFERENCES) )/;

/** In as many lines as it needs: broken at its clauses, and within parentheses where one is too long for a line. */
function layOut(text: string, indent: string): string {
  if (indent.length + text.length <= WIDTH) return indent + text;
  const inner = `${indent}  `;
  const [first = '', ...rest] = splitAtTop(text, CLAUSE);
  if (rest.length > 0) {
    const lines = rest.reduce<string[]>(
      (done, clause) => {
        const last = done.at(-1) ?? '';
        const joined = `${last} ${clause}`;
        const lead = done.length === 1 ? indent : inner;
        return lead.length + joined.length <= WIDTH ? [...done.slice(0, -1), joined] : [...done, clause];
      },
      [first],
    );
    return lines.map((line, at) => breakLine(line, at === 0 ? indent : inner)).join('\n');
  }
  return breakLine(text, indent);
}

/** Opens the last pair of parentheses that goes to the end of the text; else breaks between words. */
function breakLine(text: string, indent: string): string {
  if (indent.length + text.length <= WIDTH) return indent + text;
  if (splitAtTop(text, /^, /).length > 1) return layOutList(text, indent).replaceAll('\n', '\n  ');
  const open = widestOpening(text);
  if (open !== null) {
    const { from, to } = open;
    const inside = layOutList(text.slice(from + 1, to), `${indent}  `);
    return `${indent}${text.slice(0, from + 1)}\n${inside}\n${indent}${text.slice(to)}`;
  }
  return indent + text;
}

function layOutList(text: string, indent: string): string {
  if (indent.length + text.length <= WIDTH) return indent + text;
  const items = splitAtTop(text, /^, /);
  if (items.length === 1)
    return splitAtTop(text, /^ (?=\+ )/)
      .map((part) => layOut(part, indent))
      .join('\n');
  return items
    .reduce<string[]>((lines, item) => {
      const last = lines.at(-1);
      const joined = last === undefined ? item : `${last}, ${item}`;
      return indent.length + joined.length < WIDTH ? [...lines.slice(0, -1), joined] : [...lines, item];
    }, [])
    .map((line) => breakLine(line, indent))
    .join(',\n');
}

/** The longest pair of parentheses at the top of the text. */
function widestOpening(text: string): { readonly from: number; readonly to: number } | null {
  let widest: { from: number; to: number } | null = null;
  let start = 0;
  for (const { at, depth, sign } of walk(text)) {
    if (sign === '(' && depth === 0) start = at;
    if (sign !== ')' || depth !== 0) continue;
    if (widest === null || at - start > widest.to - widest.from) widest = { from: start, to: at };
  }
  return widest;
}

/** Splits where the separator matches outside of parentheses, strings and CASE. */
function splitAtTop(text: string, separator: RegExp): string[] {
  const parts: string[] = [];
  let from = 0;
  for (const { at, depth } of walk(text)) {
    if (depth !== 0 || at < from) continue;
    const [found] = separator.exec(text.slice(at)) ?? [];
    if (found === undefined) continue;
    parts.push(text.slice(from, at));
    from = at + found.length;
  }
  return [...parts, text.slice(from)];
}

/** Every character outside of strings, with the number of parentheses and CASE around it; those of a pair have that of the pair. */
function* walk(text: string): Generator<{ at: number; depth: number; sign: string }> {
  let depth = 0;
  let isString = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (sign === "'") isString = !isString;
    if (isString) continue;
    const isWord = at === 0 || /\W/.test(text[at - 1] ?? '');
    if (sign === ')' || (isWord && /^END\b/.test(text.slice(at)))) depth -= 1;
    yield { at, depth, sign };
    if (sign === '(' || (isWord && /^CASE\b/.test(text.slice(at)))) depth += 1;
  }
}
