import type { Chains } from '../../domain/chains.ts';
import { COIN_DEFINITIONS, type Coin, type Mode } from '../../domain/coins.ts';
import { assertNever, type AppError } from '../../domain/errors.ts';
import { describeAddressProblem, type AddressProblem } from '../../usecases/refunds/index.ts';
import type { Translate } from '../checkout/negotiate-language.ts';

export interface Mistake {
  readonly status: number;
  readonly field: 'coin' | 'destination';
  readonly text: string;
}

interface Entered {
  readonly say: Translate;
  readonly coin: Coin | null;
  readonly mode: Mode;
  readonly destination: string;
}

/** Describes the payer's input error; null for other errors. */
export function describeMistake(chains: Chains, error: AppError, entered: Entered): Mistake | null {
  const { say, coin, mode, destination } = entered;
  const name = coin === null ? '' : COIN_DEFINITIONS[coin].name;
  if (error.code === 'COIN_UNAVAILABLE') {
    return { status: 503, field: 'coin', text: say('mistakeUnavailable', { coin: name }) };
  }
  if (error.code !== 'VALIDATION_INVALID') return null;
  const field = error.details[0]?.field;
  if (field === 'coin' || coin === null) return { status: 400, field: 'coin', text: say('mistakeChoice') };
  if (field === 'amount') {
    return { status: 400, field: 'coin', text: say('mistakeTooSmall', { coin: name }) };
  }
  if (field !== 'destination') return null;
  if (destination === '') return about(say('mistakeEmpty'));
  const mistake = describeAddressProblem(chains, { coin, mode, address: destination });
  if (mistake !== null) return about(mistakeText(say, name, mistake));
  return about(say(error.details[0]?.code === 'own_address' ? 'mistakeOwn' : 'mistakeRefused'));
}

function about(text: string): Mistake {
  return { status: 400, field: 'destination', text };
}

function mistakeText(say: Translate, coin: string, mistake: AddressProblem): string {
  switch (mistake.kind) {
    case 'coin':
      return say('mistakeCoin', { other: COIN_DEFINITIONS[mistake.of].name, coin });
    case 'network':
      return say(mistake.isTest ? 'mistakeTestNetwork' : 'mistakeRealNetwork', { coin });
    case 'checksum':
      return say('mistakeChecksum');
    case 'mweb':
      return say('mistakeMweb');
    case 'invalid':
      return say('mistakeInvalid', { coin });
    default:
      return assertNever(mistake);
  }
}
