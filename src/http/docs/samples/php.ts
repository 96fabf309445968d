import type { SampleRequest } from './request.ts';

/** The request with the curl extension of PHP 8. */
export function php(request: SampleRequest): string {
  const { method, url, body, answersJson = true } = request;
  const headers = headerLines(request);
  return [
    '<?php',
    `$request = curl_init(${quoted(url)});`,
    'curl_setopt_array($request, [',
    ...(method === 'GET' ? [] : [`    CURLOPT_CUSTOMREQUEST => '${method}',`]),
    ...(headers.length === 0
      ? []
      : ['    CURLOPT_HTTPHEADER => [', ...headers.map((line) => `        ${line},`), '    ],']),
    ...(body === undefined ? [] : [`    CURLOPT_POSTFIELDS => json_encode(${literal(body, '    ')}),`]),
    '    CURLOPT_RETURNTRANSFER => true,',
    ']);',
    '$response = curl_exec($request);',
    'if ($response === false) throw new RuntimeException(curl_error($request));',
    ...result(answersJson),
  ].join('\n');
}

function headerLines({ credential, headers = {}, body }: SampleRequest): string[] {
  return [
    ...(credential === null ? [] : [`'Authorization: Bearer ' . getenv('${credential}')`]),
    ...Object.entries(headers).map(([name, value]) => quoted(`${name}: ${value}`)),
    ...(body === undefined ? [] : [`'Content-Type: application/json'`]),
  ];
}

function result(answersJson: boolean): string[] {
  if (!answersJson) return ['echo $response;'];
  return [
    "['success' => $success, 'error' => $error, 'data' => $data] = json_decode($response, true);",
    "if (!$success) throw new RuntimeException(\"{$error['code']}: {$error['message']}\");",
    'print_r($data);',
  ];
}

function literal(value: unknown, indent: string): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}    `;
  const isList = Array.isArray(value);
  const entries = isList
    ? value.map((entry) => literal(entry, inner))
    : Object.entries(value).map(([name, entry]) => `${quoted(name)} => ${literal(entry, inner)}`);
  // An empty array would be sent as a JSON list.
  if (entries.length === 0) return isList ? '[]' : 'new stdClass()';
  return `[\n${entries.map((entry) => `${inner}${entry},\n`).join('')}${indent}]`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
