import { linkProgram, sbpf } from './sbpf.ts';

/**
 * A program that pays through another one, as contract wallets and exchanges do: it hands eight
 * bytes of instruction data, an amount in lamports, to the system program's Transfer by
 * cross-program invocation. Accounts: payer (signer, writable), receiver (writable), system
 * program; payer and receiver hold no data.
 */

/** The loader gives each account flags, key, owner, lamports, size, data, room to grow and rent epoch. */
const FLAGS = 0;
const KEY = 8;
const OWNER = 40;
const LAMPORTS = 72;
const SIZE = 80;
const DATA = 88;
const ROOM_TO_GROW = 10_240;
const EMPTY_ACCOUNT_BYTES = DATA + ROOM_TO_GROW + 8;
const SIGNER = FLAGS + 1;
const WRITABLE = FLAGS + 2;

/** The accounts follow their count. */
const PAYER = 8;
const RECEIVER = PAYER + EMPTY_ACCOUNT_BYTES;
const SYSTEM = RECEIVER + EMPTY_ACCOUNT_BYTES;

/** What is built on the stack for the call, below its frame pointer. */
const TRANSFER_DATA = -16;
const METAS = TRANSFER_DATA - 2 * 16;
const INSTRUCTION = METAS - 40;
const INFOS = INSTRUCTION - 2 * 56;
const INFO_BYTES = 56;
const META_BYTES = 16;
/** The system program's Transfer. */
const TRANSFER = 2;

const INPUT = 6;
const FRAME = 10;

/** Writes an address: register 7 = base + offset, then stored in the frame. */
function pointer(at: number, base: typeof INPUT | typeof FRAME, offset: number) {
  return [sbpf.copy(7, base), sbpf.add(7, offset), sbpf.store(8, FRAME, at, 7)];
}

function accountMeta(at: number, account: number, isSigner: 0 | 1) {
  return [
    ...pointer(at, INPUT, account + KEY),
    sbpf.storeValue(8, FRAME, at + 8, 0),
    sbpf.storeValue(1, FRAME, at + 8, 1),
    sbpf.storeValue(1, FRAME, at + 9, isSigner),
  ];
}

function accountInfo(at: number, account: number) {
  return [
    ...pointer(at, INPUT, account + KEY),
    ...pointer(at + 8, INPUT, account + LAMPORTS),
    sbpf.load(8, 7, INPUT, account + SIZE),
    sbpf.store(8, FRAME, at + 16, 7),
    ...pointer(at + 24, INPUT, account + DATA),
    ...pointer(at + 32, INPUT, account + OWNER),
    sbpf.load(8, 7, INPUT, account + DATA + ROOM_TO_GROW),
    sbpf.store(8, FRAME, at + 40, 7),
    sbpf.storeValue(8, FRAME, at + 48, 0),
    sbpf.load(1, 7, INPUT, account + SIGNER),
    sbpf.store(1, FRAME, at + 48, 7),
    sbpf.load(1, 7, INPUT, account + WRITABLE),
    sbpf.store(1, FRAME, at + 49, 7),
  ];
}

/** The program as the ELF file that its loader takes. */
export function forwarderProgram(): Uint8Array {
  return linkProgram([
    sbpf.copy(INPUT, 1),
    // The instruction data begins with its size, behind the system program, whose data has any size.
    sbpf.copy(8, INPUT),
    sbpf.add(8, SYSTEM),
    sbpf.load(8, 7, 8, SIZE),
    sbpf.add(7, 7),
    sbpf.and(7, -8),
    sbpf.addRegister(8, 7),
    sbpf.load(8, 9, 8, EMPTY_ACCOUNT_BYTES + 8),
    sbpf.storeValue(8, FRAME, TRANSFER_DATA, 0),
    sbpf.storeValue(4, FRAME, TRANSFER_DATA, TRANSFER),
    sbpf.store(8, FRAME, TRANSFER_DATA + 4, 9),
    ...accountMeta(METAS, PAYER, 1),
    ...accountMeta(METAS + META_BYTES, RECEIVER, 0),
    ...pointer(INSTRUCTION, INPUT, SYSTEM + KEY),
    ...pointer(INSTRUCTION + 8, FRAME, METAS),
    sbpf.storeValue(8, FRAME, INSTRUCTION + 16, 2),
    ...pointer(INSTRUCTION + 24, FRAME, TRANSFER_DATA),
    sbpf.storeValue(8, FRAME, INSTRUCTION + 32, 12),
    ...accountInfo(INFOS, PAYER),
    ...accountInfo(INFOS + INFO_BYTES, RECEIVER),
    sbpf.copy(1, FRAME),
    sbpf.add(1, INSTRUCTION),
    sbpf.copy(2, FRAME),
    sbpf.add(2, INFOS),
    sbpf.set(3, 2),
    sbpf.set(4, 0),
    sbpf.set(5, 0),
    sbpf.call('sol_invoke_signed_c'),
    sbpf.exit(),
  ]);
}
