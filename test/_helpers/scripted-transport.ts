import type { RpcTransport } from '../../src/chains/shared/rpc-transport.ts';

/** A node's refusal of a call. */
export class Refused {
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };

  constructor(code: number, message: string, data?: unknown) {
    this.error = { code, message, ...(data === undefined ? {} : { data }) };
  }
}

type Answers = (method: string, params: readonly unknown[]) => unknown;

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A node that answers each call as configured, alone or in a batch. */
export function scriptedTransport(answers: Answers): RpcTransport {
  const reply = ({ id, method, params }: Call): object => {
    const answer = answers(method, params);
    return answer instanceof Refused ? { id, error: answer.error } : { id, result: answer, error: null };
  };
  const post = async (body: string): Promise<{ status: number; text: string }> => {
    const asked = JSON.parse(body) as Call | Call[];
    const text = JSON.stringify(Array.isArray(asked) ? asked.map(reply) : reply(asked));
    return { status: 200, text };
  };
  return {
    post,
    postForBytes: async (body) => {
      const { status, text } = await post(body);
      return { status, bytes: new Uint8Array(Buffer.from(text)) };
    },
    close: async () => undefined,
  };
}
