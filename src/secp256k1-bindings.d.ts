/** The native half of the package alone: its index falls back to a JavaScript implementation that is not wanted. */
declare module 'secp256k1/bindings.js' {
  const bindings: typeof import('secp256k1');
  export default bindings;
}
