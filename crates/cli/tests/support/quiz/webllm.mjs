// The real WebLLM on Chromium's software adapter. Its hosts are played by this script: none of them is asked for anything.
// node webllm.mjs INSTRUMENTS BASE MODEL
import { openBrowser, openQuiz, problems } from './page.mjs';

const model = process.argv[4];
const { browser, context, page } = await openBrowser(['--enable-unsafe-webgpu']);
const CROSS = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' };
const asked = [];
let answer = (route) => route.abort('connectionrefused');
await context.route(/huggingface\.co|hf\.co|githubusercontent/, (route) => {
  asked.push(route.request().url());
  return answer(route);
});

const query = `?engine=webllm&model=${encodeURIComponent(model)}`;
await openQuiz(page, query);
const device = await page.locator('.quiz-device').innerText();
const option = await page.locator(`.quiz-model:has(input[value="${model}"])`).innerText();
const halfPrecision = await page.locator('.quiz-models input[type="radio"][value*="f16"]:enabled').count();
const chosen = await page.locator('input[name="model"]:checked').getAttribute('value');

/** Starts a load, and says how it ended. */
async function load(how) {
  answer = how;
  asked.length = 0;
  await page.locator('.quiz-start').click();
  await page.locator('.quiz-trouble').waitFor();
  const told = { text: await page.locator('.quiz-trouble').innerText(), asked: [...asked] };
  const fold = page.locator('.quiz-trouble details summary');
  if (await fold.count()) {
    await fold.click();
    told.engine = await page.locator('.quiz-trouble pre').innerText();
  }
  told.kept = await page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('.run.')).length);
  await page.getByRole('button', { name: 'Begin another' }).click();
  await page.locator('.quiz-start').waitFor();
  return told;
}

const found = await problems(page, 'models for the graphics processor');
const config = JSON.stringify({ model_type: 'llama', quantization: 'q0f32', model_config: {}, vocab_size: 1, context_window_size: 4096, conv_template: { roles: {}, seps: [], stop_str: [], stop_token_ids: [], system_template: '' } });
const again = page.locator('.quiz-what', { hasText: 'Trying again in' }).innerText();
const refused = { ...await load((route) => route.abort('connectionrefused')), again: await again };
const missing = await load((route) => route.fulfill({ status: 404, headers: CROSS, body: 'not here' }));
const hanging = load(async () => undefined);
await page.getByRole('button', { name: 'Cancel' }).click();
const cancelled = await hanging;

// A disk that is full: the library is larger than what may be stored, and goes into memory.
const cdp = await context.newCDPSession(page);
await cdp.send('Storage.overrideQuotaForOrigin', { origin: new URL(page.url()).origin, quotaSize: 300_000 });
const full = await load((route) => {
  const isConfig = route.request().url().endsWith('.json');
  return route.fulfill({ status: 200, headers: CROSS, contentType: isConfig ? 'application/json' : 'application/wasm', body: isConfig ? config : Buffer.alloc(4_000_000) });
});
await cdp.send('Storage.overrideQuotaForOrigin', { origin: new URL(page.url()).origin });
const broken = await load((route) => {
  const isConfig = route.request().url().endsWith('.json');
  return route.fulfill({ status: 200, headers: CROSS, contentType: isConfig ? 'application/json' : 'application/wasm', body: isConfig ? config : 'no module' });
});

// A page whose policy does not name the hosts opens the one that does before it asks anybody.
await page.evaluate(async () => Promise.all((await caches.keys()).map((name) => caches.delete(name))));
await openQuiz(page, '');
await page.locator('.quiz-models details.more').evaluate((details) => (details.open = true));
await page.locator(`label[for="quiz-model-${model}"]`).click();
answer = (route) => route.abort('connectionrefused');
await page.locator('.quiz-start').click();
await page.waitForURL('**/quiz?engine=webllm**');
await page.locator('.quiz-trouble').waitFor();
const reopened = { address: page.url(), text: await page.locator('.quiz-trouble').innerText() };
found.push(...await problems(page, 'a load that failed'));
await browser.close();
console.log(JSON.stringify({ found, device, option, halfPrecision, chosen, refused, missing, cancelled, full, broken, reopened }));
