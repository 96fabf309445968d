/** Hertz, one after the other: rising when paid. */
const TONES = { seen: [660], paid: [660, 880, 1320] } as const;
const TONE_SECONDS = 0.16;
const LOUDNESS = 0.15;

let context: AudioContext | null = null;

/** Plays a short sound. Browsers allow it once the page was clicked or typed into; until then it is silent. */
export function playChime(kind: keyof typeof TONES): void {
  if (typeof AudioContext === 'undefined') return;
  context ??= new AudioContext();
  void context.resume();
  for (const [index, frequency] of TONES[kind].entries())
    playTone(context, frequency, context.currentTime + index * TONE_SECONDS);
}

function playTone(audio: AudioContext, frequency: number, at: number): void {
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  tone.frequency.value = frequency;
  volume.gain.setValueAtTime(LOUDNESS, at);
  volume.gain.exponentialRampToValueAtTime(0.001, at + TONE_SECONDS * 2);
  tone.connect(volume).connect(audio.destination);
  tone.start(at);
  tone.stop(at + TONE_SECONDS * 2);
}
