// Exits with 0 if the daemon of this container responds. Does not verify the certificate, which is for the
// public name.
import { request as plain } from 'node:http';
import { request as secure } from 'node:https';

const TIMEOUT_MS = 4000;
const isSecure = (process.env.TILLD_TLS_CERT ?? '') !== '';
const request = isSecure ? secure : plain;
const options = {
  host: '127.0.0.1',
  port: Number(process.env.TILLD_PORT || 3000),
  path: '/healthz',
  timeout: TIMEOUT_MS,
  ...(isSecure ? { rejectUnauthorized: false } : {}),
};

const asked = request(options, (answer) => process.exit(answer.statusCode === 200 ? 0 : 1));
asked.on('timeout', () => asked.destroy(new Error(`no answer in ${TIMEOUT_MS} ms`)));
asked.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
asked.end();
