//! The suite: the product from outside, on both databases.

mod migrations;
mod storage_contract;
