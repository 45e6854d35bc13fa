//! Photographs have the size and the colours that were asked for.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up must fail")]

mod support;

use benchwright_browser::{ContextOptions, Page, Shot, Viewport};
use benchwright_domain::Rect;
use support::server::{Server, html};
use support::{Chromium, LIMIT, limits};

const PAGE: &str = "<body style='margin:0;background:white'><div style='height:1000px'></div>\
    <div id=red style='width:100px;height:50px;margin-left:20px;background:rgb(255,0,0)'></div>\
    <div style='height:1950px'></div>";

async fn open(viewport: Viewport) -> (Chromium, Server, Page) {
    let server = Server::start(|_| html(PAGE)).await;
    let chromium = Chromium::start().await;
    let options = ContextOptions { viewport, ..ContextOptions::default() };
    let page = chromium.context(options).await.new_page().await.unwrap();
    page.goto(&server.url("/"), limits()).await.unwrap();
    (chromium, server, page)
}

async fn picture(page: &Page, shot: Shot) -> image::RgbImage {
    decoded(&page.screenshot(shot, LIMIT).await.unwrap())
}

fn decoded(png: &[u8]) -> image::RgbImage {
    image::load_from_memory_with_format(png, image::ImageFormat::Png).unwrap().to_rgb8()
}

const RED: image::Rgb<u8> = image::Rgb([255, 0, 0]);
const WHITE: image::Rgb<u8> = image::Rgb([255, 255, 255]);

#[tokio::test]
async fn viewport_full_and_clip_on_a_desktop() {
    let (_chromium, _server, page) = open(Viewport::desktop(800, 600)).await;
    assert_eq!(picture(&page, Shot::Viewport).await.dimensions(), (800, 600));
    let full = picture(&page, Shot::Full { max_height: 20_000 }).await;
    assert_eq!(full.height(), 3000);
    assert_eq!((*full.get_pixel(30, 1010), *full.get_pixel(30, 990)), (RED, WHITE));
    assert_eq!(picture(&page, Shot::Full { max_height: 1200 }).await.height(), 1200);
    let clip = Rect { x: 10.0, y: 995.0, width: 40.0, height: 20.0 };
    let clip = picture(&page, Shot::Clip(clip)).await;
    assert_eq!(clip.dimensions(), (40, 20));
    assert_eq!((*clip.get_pixel(20, 10), *clip.get_pixel(5, 10), *clip.get_pixel(20, 2)), (RED, WHITE, WHITE));
}

#[tokio::test]
async fn a_snapshot_has_the_pixels_of_the_window() {
    let (_chromium, _server, page) = open(Viewport::desktop(800, 600)).await;
    page.evaluate::<()>("() => { scrollTo(0, 700) }", &serde_json::Value::Null, LIMIT).await.unwrap();
    let snapshot = decoded(&page.snapshot(LIMIT).await.unwrap());
    assert_eq!(*snapshot.get_pixel(30, 310), RED);
    assert!(snapshot == picture(&page, Shot::Viewport).await);
}

#[tokio::test]
async fn an_element_at_the_scale_of_a_phone() {
    let viewport = Viewport { width: 390, height: 844, device_scale_factor: 2.0, mobile: true, touch: true };
    let (_chromium, _server, page) = open(viewport).await;
    let red = page.locator("css=#red");
    let bytes = red.screenshot(LIMIT).await.unwrap();
    let shot = image::load_from_memory(&bytes).unwrap().to_rgb8();
    let area = red.bounding_box().await.unwrap().unwrap();
    assert_eq!(shot.dimensions(), ((area.width * 2.0) as u32, (area.height * 2.0) as u32));
    assert!(shot.pixels().all(|pixel| *pixel == RED));
    // The box is told in page coordinates, wherever the page is scrolled to.
    page.evaluate::<()>("() => { scrollTo(0, 700) }", &serde_json::Value::Null, LIMIT).await.unwrap();
    assert_eq!(red.bounding_box().await.unwrap().unwrap(), area);
    assert_eq!(area.y, 1000.0);
}

#[tokio::test]
async fn a_page_taller_than_chromium_paints_is_cut() {
    let server = Server::start(|_| html("<body style='margin:0'><div style='height:50000px;background:red'>")).await;
    let chromium = Chromium::start().await;
    let page = chromium.page().await;
    page.set_viewport(Viewport::desktop(100, 100)).await.unwrap();
    page.goto(&server.url("/"), limits()).await.unwrap();
    let full = picture(&page, Shot::Full { max_height: 100_000 }).await;
    assert_eq!(full.height(), 16_384);
    assert_eq!(*full.get_pixel(50, 16_000), RED);
}
