/** Verification of a webhook's signature with nothing but each language's standard library. */
export const RECIPES: readonly (readonly [language: string, code: string])[] = [
  [
    'Node.js',
    `import { createHmac, timingSafeEqual } from 'node:crypto';

// body: the raw request body, byte for byte as it came in
export function isGenuine(secret, headers, body) {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) return false;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const expected = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\`).update(body).digest();
  return headers['webhook-signature'].split(' ').some((part) => {
    const [version, signature = ''] = part.split(',');
    const given = Buffer.from(signature, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}`,
  ],
  [
    'Python',
    `import base64, hashlib, hmac, time

# body: the raw request body as bytes
def is_genuine(secret, headers, body):
    msg_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{msg_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    return any(
        hmac.compare_digest(part.encode(), expected)
        for part in headers.get("webhook-signature", "").split(" ")
    )`,
  ],
  [
    'PHP',
    `<?php
$body = file_get_contents('php://input');
if (!isGenuine(getenv('WEBHOOK_SECRET'), $_SERVER, $body)) {
    http_response_code(400);
    exit;
}
$event = json_decode($body, true);

// $body: the raw request body. $server: $_SERVER, where PHP-FPM and Apache put the headers
function isGenuine(string $secret, array $server, string $body): bool {
    $id = $server['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $server['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (abs(time() - (int) $timestamp) > 300) return false;
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret));
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $server['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $given) {
        if (hash_equals($expected, $given)) return true;
    }
    return false;
}`,
  ],
];
