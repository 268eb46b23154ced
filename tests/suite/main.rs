//! The suite: the product from outside, on both databases.

mod layers;
mod migrations;
mod storage_contract;
