import type { SampleRequest } from './request.ts';

/** The request with the `fetch` of Node.js, as an ES module. */
export function node(request: SampleRequest): string {
  const { method, url, answersJson = true } = request;
  const headers = headerLines(request);
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length === 0 ? [] : ['  headers: {', ...headers.map((line) => `    ${line}`), '  },']),
    ...(request.body === undefined ? [] : [`  body: JSON.stringify(${literal(request.body, '  ')}),`]),
  ];
  const call = options.length === 0 ? [`${quoted(url)});`] : [`${quoted(url)}, {`, ...options, '});'];
  return [`const response = await fetch(${call.join('\n')}`, ...result(answersJson)].join('\n');
}

function headerLines({ credential, headers = {}, body }: SampleRequest): string[] {
  return [
    ...(credential === null ? [] : [`Authorization: \`Bearer \${process.env.${credential}}\`,`]),
    ...Object.entries(headers).map(([name, value]) => `${key(name)}: ${quoted(value)},`),
    ...(body === undefined ? [] : [`'Content-Type': 'application/json',`]),
  ];
}

function result(answersJson: boolean): string[] {
  if (!answersJson) return ['console.log(await response.text());'];
  return [
    'const { success, error, data } = await response.json();',
    'if (!success) throw new Error(`${error.code}: ${error.message}`);',
    'console.log(data);',
  ];
}

function literal(value: unknown, indent: string): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const entries = Array.isArray(value)
    ? value.map((entry) => literal(entry, inner))
    : Object.entries(value).map(([name, entry]) => `${key(name)}: ${literal(entry, inner)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0) return `${open}${close}`;
  return `${open}\n${entries.map((entry) => `${inner}${entry},\n`).join('')}${indent}${close}`;
}

function key(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);
}

function quoted(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${inner}'`;
}
