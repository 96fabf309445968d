import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** DER: one tag, its length, its content. */
function der(tag: number, ...content: (Buffer | Uint8Array)[]): Buffer {
  const body = Buffer.concat(content);
  const length =
    body.length < 0x80
      ? Buffer.from([body.length])
      : body.length < 0x100
        ? // The shortest form, which Go insists on.
          Buffer.from([0x81, body.length])
        : Buffer.from([0x82, body.length >> 8, body.length & 0xff]);
  return Buffer.concat([Buffer.from([tag]), length, body]);
}

const sequence = (...content: (Buffer | Uint8Array)[]) => der(0x30, ...content);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const utcTime = (at: number) =>
  der(0x17, Buffer.from(`${new Date(at).toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`));

/**
 * A fresh self-signed certificate for `localhost`, or other names (ECDSA P-256, RFC 5280), and its key, as PEM.
 * @param days until it ends; it began a day ago
 */
export function selfSigned(
  names: readonly string[] = ['localhost'],
  days = 1,
): { cert: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ecdsaSha256 = sequence(oid('2a8648ce3d040302'));
  // Of its own for each: OpenSSL finds the issuer by name, and takes another certificate of the same name for it.
  const commonName = `test ${randomBytes(8).toString('hex')}`;
  const name = sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(commonName)))));
  const day = 24 * 3600 * 1000;
  const altNames = names.map((name) => der(0x82, Buffer.from(name)));
  const altName = sequence(oid('551d11'), der(0x04, sequence(...altNames)));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaSha256,
    name,
    sequence(utcTime(Date.now() - day), utcTime(Date.now() + days * day)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(altName)),
  );
  const signature = sign('sha256', body, privateKey);
  const cert = sequence(body, ecdsaSha256, der(0x03, Buffer.from([0]), signature));
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${cert.toString('base64')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
