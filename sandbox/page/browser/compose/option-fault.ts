import type { Option } from '../state/state.ts';
import { say } from '../words.ts';

/** What is wrong with what was given for an option, as Discord's own client would see it. */
export function fault(option: Option, text: string): string | null {
  if (text.trim() === '') return option.required === true ? say('required') : null;
  if (option.type === 3) {
    const { min_length: min = 0, max_length: max = 6000 } = option;
    if (text.length < min) return say('tooShort', { n: min });
    return text.length > max ? say('tooLong', { n: max }) : null;
  }
  if (option.type === 4 || option.type === 10) {
    const number = Number(text);
    if (option.type === 4 && !Number.isSafeInteger(number)) return say('wholeNumber');
    if (option.min_value !== undefined && number < option.min_value) {
      return say('atLeast', { n: option.min_value });
    }
    if (option.max_value !== undefined && number > option.max_value) {
      return say('atMost', { n: option.max_value });
    }
  }
  return null;
}
