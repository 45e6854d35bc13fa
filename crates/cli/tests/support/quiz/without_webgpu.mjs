// A browser without WebGPU at all. node without_webgpu.mjs INSTRUMENTS BASE
import { openBrowser, openQuiz, problems } from './page.mjs';

const { browser, context, page } = await openBrowser();
await context.addInitScript(() => delete Navigator.prototype.gpu);
await openQuiz(page);
const device = await page.locator('.quiz-device').innerText();
await page.locator('.quiz-models details.more > summary').click();
const models = await page.locator('.quiz-models details.more').innerText();
const disabled = await page.locator('.quiz-models details.more input[type="radio"]:disabled').count();
const offered = await page.locator('.quiz-models details.more input[type="radio"]').count();
const chosen = await page.locator('input[name="model"]:checked').getAttribute('value');
const estimate = await page.locator('#quiz-estimate').innerText();
const found = await problems(page, 'without WebGPU');
await browser.close();
console.log(JSON.stringify({ found, device, models, disabled, offered, chosen, estimate }));
