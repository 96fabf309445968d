/** Where things stand in the memory of a thread that hashes a block (see BlockMemory), for those who write its program and those who run it. */

/** The number of the other memory, in which the block is: see BlockRoom. */
export const BLOCK_MEMORY = 1;

export const VECTOR_BYTES = 16;
/** Messages that are hashed side by side: four in each of two vectors (see compileWide). */
export const LANES = 8;
/** A word of all lanes. */
export const ROW_OF_LANES = 4 * LANES;
export const CHUNK_BYTES = 64;
export const DIGEST_BYTES = 32;
export const WORDS_OF_CHUNK = 16;
export const ROUNDS = 64;

/** Where the running hashes of all lanes stand: eight words of each. */
export const STATE_AT = 0;
/** How they begin. */
export const INITIAL_AT = STATE_AT + 8 * ROW_OF_LANES;
/** The sixteen words of a chunk of each lane. */
export const WORDS_AT = INITIAL_AT + 8 * ROW_OF_LANES;
/** The same of messages of a digest, whose last eight words are always the same. */
export const SECONDS_AT = WORDS_AT + WORDS_OF_CHUNK * ROW_OF_LANES;
/** The round constants, each once for each lane. */
export const CONSTANTS_AT = SECONDS_AT + WORDS_OF_CHUNK * ROW_OF_LANES;
/** The same with the words added that the chunk behind a message of one chunk has. */
export const ENDING_AT = CONSTANTS_AT + ROUNDS * ROW_OF_LANES;
/** Numbers that the decoder of hex calculates with, four bytes each. */
export const DIGITS_AT = ENDING_AT + ROUNDS * ROW_OF_LANES;
export const DIGIT_NUMBERS = {
  aboveNine: 0xc6c6c6c6,
  six: 0x06060606,
  ten: 0x0a0a0a0a,
  fifteenTimesSixteen: 0xf0f0f0f0,
  capitals: 0xdfdfdfdf,
  letterA: 0x41414141,
  pairs: 0x10011001,
} as const;
/** A chunk that idle lanes hash. */
export const SPARE_AT = DIGITS_AT + 8 * 4;
/** Where pieces of a block's text are put, small enough to stay in a processor's nearest caches. */
export const TEXT_AT = 8_192;
export const TEXT_BYTES = 32_768;
/** Where there is room for what is hashed. */
export const SCRATCH_AT = TEXT_AT + TEXT_BYTES;
/** In the block's memory: where the scanner is told what to scan, and leaves how far it came. See scan-wasm.ts. */
export const SCAN_AT = 64;

/** What copies and reads may touch beyond the end of what they are asked for. */
export const SLACK = 128;
/** The text that one step of the decoder takes. */
export const HEX_STEP = 64;

/** A transaction's row (see RowReader) in bytes, and its flags. EXTENDED is also how many bytes marker and flag take. */
export const ROW = { start: 0, end: 4, flags: 8, bodyEnd: 12, inputs: 16, outputs: 20 } as const;
export const ROW_HEAD_BYTES = 24;
export const HOGEX = 1;
export const EXTENDED = 2;
