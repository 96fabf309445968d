/** What the program uses of WebAssembly: TypeScript knows it only as a part of browsers. */
declare namespace WebAssembly {
  class Memory {
    constructor(descriptor: { initial: number; maximum?: number });
    readonly buffer: ArrayBuffer;
    /** @throws {RangeError} when there is no more; earlier views of the buffer end. */
    grow(pages: number): number;
  }
  const Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  class Instance {
    constructor(module: object, imports: Record<string, Record<string, Memory>>);
    readonly exports: Readonly<Record<string, unknown>>;
  }
}
