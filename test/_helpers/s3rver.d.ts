declare module '@20minutes/s3rver' {
  interface ListOptions {
    readonly delimiter?: string;
    readonly prefix?: string;
    readonly maxKeys?: number;
  }
  interface S3Object {
    readonly key: string;
  }
  interface Listing {
    readonly objects: S3Object[];
    readonly commonPrefixes: string[];
    readonly isTruncated: boolean;
  }
  /** An S3 server in memory of this process that keeps its objects in a folder and checks signatures. */
  export default class S3rver {
    readonly store: { listObjects(bucket: string, options: ListOptions): Promise<Listing> };
    constructor(options: {
      readonly address: string;
      readonly port: number;
      readonly silent: boolean;
      readonly directory: string;
      readonly configureBuckets: readonly { readonly name: string }[];
    });
    run(): Promise<unknown>;
    close(): Promise<void>;
  }
}

declare module '@20minutes/s3rver/lib/models/account.js' {
  const account: { readonly DUMMY_ACCOUNT: { createKeyPair(id: string, secret: string): void } };
  export default account;
}
