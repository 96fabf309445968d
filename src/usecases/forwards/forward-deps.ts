import type { ReadReceiveBranch, SecretBox } from '../../domain/keys.ts';
import type { SendCoinsDeps } from '../wallet/index.ts';

export interface ForwardDeps extends SendCoinsDeps {
  readonly secretBox: SecretBox;
  readonly readReceiveBranch: ReadReceiveBranch;
}
