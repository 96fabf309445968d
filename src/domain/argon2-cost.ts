/** Cost of argon2id (RFC 9106), of passwords as of the keyring. */
export interface Argon2Cost {
  readonly memoryKiB: number;
  readonly iterations: number;
  readonly parallelism: number;
}
