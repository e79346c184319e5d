import type { KnownPage } from '../known-page.ts';

/** Learning machines. */
export const AI: KnownPage[] = [
  {
    link: 'https://arxiv.org/abs/1706.03762',
    title: 'Attention Is All You Need',
    cover: 'network',
    about:
      'A network architecture based solely on attention, dispensing with recurrence and convolutions.',
  },
  {
    link: 'https://jalammar.github.io/illustrated-transformer/',
    title: 'The Illustrated Transformer',
    cover: 'network',
    about: 'The Transformer, one drawing at a time.',
    loved: true,
  },
  {
    link: 'http://www.incompleteideas.net/IncIdeas/BitterLesson.html',
    title: 'The Bitter Lesson',
    about:
      'General methods that leverage computation are ultimately the most effective, and by a large margin.',
  },
  {
    link: 'https://distill.pub/2017/momentum/',
    title: 'Why Momentum Really Works',
    about:
      'We often think of momentum as a ball that rolls down a hill. That is not the whole story.',
  },
  {
    link: 'https://karpathy.github.io/2015/05/21/rnn-effectiveness/',
    title: 'The Unreasonable Effectiveness of Recurrent Neural Networks',
    about: 'Character by character: Shakespeare, Wikipedia, LaTeX and Linux.',
  },
  {
    link: 'https://karpathy.github.io/2019/04/25/recipe/',
    title: 'A Recipe for Training Neural Networks',
    about: 'Neural net training fails silently. Be patient, and paranoid.',
  },
  {
    link: 'https://distill.pub/2020/circuits/zoom-in/',
    title: 'Zoom In: An Introduction to Circuits',
    about:
      'By studying the connections between neurons, we can find meaningful algorithms in the weights.',
  },
  {
    link: 'https://lilianweng.github.io/posts/2021-07-11-diffusion-models/',
    title: 'What are Diffusion Models?',
    about: 'Slowly add noise to data, then learn to reverse it.',
  },
  {
    link: 'https://www.3blue1brown.com/topics/neural-networks',
    title: 'Neural networks, in pictures',
    cover: 'network',
    about: 'What is a neural network, how does it learn, and what does the calculus say?',
  },
  {
    link: 'https://nlp.seas.harvard.edu/annotated-transformer/',
    title: 'The Annotated Transformer',
    about: 'The paper again, line by line, as code that runs.',
  },
  {
    link: 'https://huggingface.co/learn/nlp-course',
    title: 'A course on language models',
    about: 'From a first pipeline to a model of your own.',
  },
  {
    link: 'https://playground.tensorflow.org/',
    title: 'A Neural Network Playground',
    cover: 'network',
    about: 'Tinker with a real neural network in your browser. Do not worry, you cannot break it.',
  },
  {
    link: 'https://transformer-circuits.pub/2021/framework/index.html',
    title: 'A Mathematical Framework for Transformer Circuits',
    about: 'Small attention-only models, taken apart by hand.',
  },
];
