import type { SampleRequest } from './request.ts';

/** A curl command to copy. */
export function curl({ method, url, credential, headers = {}, body }: SampleRequest): string {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${/[?$]/.test(url) ? `"${url}"` : url}`,
    ...(credential === null ? [] : [`-H "Authorization: Bearer $${credential}"`]),
    ...Object.entries(headers).map(([name, value]) => `-H "${name}: ${value}"`),
    ...(body === undefined
      ? []
      : [
          `-H "Content-Type: application/json"`,
          `-d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''").replaceAll('\n', '\n  ')}'`,
        ]),
  ];
  return lines.join(' \\\n  ');
}
