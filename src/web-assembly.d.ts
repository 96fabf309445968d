/** What the program uses of WebAssembly: TypeScript knows it only as a part of browsers. */
declare namespace WebAssembly {
  interface Memory {
    readonly buffer: ArrayBuffer;
    /** @throws {RangeError} when there is no more; earlier views of the buffer end. */
    grow(pages: number): number;
  }
  /** Memory of threads: never grown here, so that its buffer is always the same. */
  interface SharedMemory {
    readonly buffer: SharedArrayBuffer;
  }
  const Memory: {
    new (descriptor: { initial: number }): Memory;
    new (descriptor: { initial: number; maximum: number; shared: true }): SharedMemory;
  };
  const Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  class Instance {
    constructor(module: object, imports: Record<string, Record<string, Memory | SharedMemory>>);
    readonly exports: Readonly<Record<string, unknown>>;
  }
}
